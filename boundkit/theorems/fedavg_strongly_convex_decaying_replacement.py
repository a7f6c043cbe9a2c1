r"""FedAvg on strongly convex losses with clients drawn by p_i, with replacement, and a step that decays.

To the terms of fedavg_strongly_convex_decaying comes the sampling. C m draws with replacement, averaged as
drawn, are right on average whatever the weights; what they scatter is how far clients walk in a round,
tau steps of length G. With replacement somebody is always missing, so the term stays at C = 1.

Proof. As without sampling, for the mean that all clients would have. At the end of a round the drawn mean
takes its place: unbiased, and with variance at most (1/(C m)) sum p_k E||w_k - w_0||^2
<= (tau times the round's first step)^2 G^2/(C m) <= 4 e^2 tau^2 G^2/(C m), w_0 being the model of the round's
start. It is charged at every step of the recursion.
"""

from dataclasses import replace

from boundkit.algebra import Limit, Reduction, Term
from boundkit.algebra.notation import C, G, Gamma, L, T, m, mu, offset, sigma, sigma_g, sigma_mean, tau
from boundkit.algebra.vocabulary import FULL_PARTICIPATION, REPLACEMENT
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM as FULL

THEOREM = replace(
    FULL,
    name="fedavg_strongly_convex_decaying_replacement",
    costs="fedavg_replacement",
    assumptions=tuple(REPLACEMENT if a is FULL_PARTICIPATION else a for a in FULL.assumptions),
    terms=(
        *FULL.terms,
        Term(
            "partial participation",
            8 * L * tau**2 * G**2 / (C * m * mu**2 * (offset + tau * T)),
            provenance="derived",
            because="8 = 2 4: as the noise, and steps of a round differ by a factor up to 2",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_strongly_convex_decaying_one_step",
            when={tau: 1},
            factors={
                "stochastic noise": C * m * sigma_mean**2 / sigma**2,
                "partial participation": 4 * G**2 / sigma_g**2,
            },
            leaves=("heterogeneity",),
            because="at one step the scatter of the clients may stand for 4 G^2, and Gamma is not needed",
        ),
        Reduction(
            to="fedavg_strongly_convex_decaying",
            when={},
            leaves=("partial participation",),
            because="sampling adds its own term and changes no other",
        ),
        Reduction(
            to="fedavg_strongly_convex_decaying",
            when={C: 1},
            holds=False,
            because="m draws with replacement are not m clients",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("client drift",)),
        Limit(when={sigma_mean: 0}, removes=("stochastic noise",)),
        Limit(when={Gamma: 0}, removes=("heterogeneity",)),
        Limit(
            when={C: 1},
            removes=("partial participation",),
            holds=False,
            because="m draws with replacement are not m clients",
        ),
    ),
    remarks=(
        "C m is the number of draws; a client drawn twice counts twice.",
        "It is unbiased selection, with rho_bar = rho_tilde = 1 in the words of biased_selection.",
        "The sampling is charged at every local step, though it happens once a round; and at tau = 1 a "
        "variance would do where G^2 stands: see fedavg_strongly_convex_decaying_one_step.",
        *FULL.remarks[:2],
    ),
    source=replace(
        FULL.source, where="Theorem 2 (scheme I)", renamed={**FULL.source.renamed, "N": m, "K": C * m}
    ),
    prose=__doc__,
)
