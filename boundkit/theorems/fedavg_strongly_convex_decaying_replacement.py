"""FedAvg on strongly convex losses, sampling with replacement by $p_i$, decaying step size.

To the terms of fedavg_strongly_convex_decaying is added the sampling error. The mean of $C m$ samples with
replacement is unbiased whatever the weights; its variance is bounded by the length of a client's update in a
round, $tau$ steps of length $G$. With replacement some client is usually missing, so the term remains at $C =
1$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM as FULL

THEOREM = variant(
    FULL,
    "fedavg_strongly_convex_decaying_replacement",
    title="FedAvg, strongly convex, sampling with replacement, decaying step size",
    costs="fedavg_replacement",
    assumes=tuple(REPLACEMENT if a is FULL_PARTICIPATION else a for a in FULL.assumptions),
    terms=(
        *FULL.terms,
        derived(
            "partial participation",
            8 * L * tau**2 * G**2 / (C * m * mu**2 * (offset + tau * T)),
            "8 = 2 4: as the noise, and steps of a round differ by a factor up to 2",
        ),
    ),
    becomes=(
        to(
            "fedavg_strongly_convex_decaying_one_step",
            {tau: 1},
            factors={
                "stochastic noise": C * m * sigma_mean**2 / sigma**2,
                "partial participation": 4 * G**2 / sigma_g**2,
            },
            leaves=("heterogeneity",),
            because="at one step the variance of the clients may replace 4 G^2, and Gamma is not needed",
        ),
        to(
            "fedavg_strongly_convex_decaying",
            leaves=("partial participation",),
            because="sampling adds its own term and changes no other",
        ),
        not_to(
            "fedavg_strongly_convex_decaying", {C: 1}, because="m draws with replacement are not m clients"
        ),
    ),
    limits=(keeps({C: 1}, "partial participation", because="m draws with replacement are not m clients"),),
    remarks=(
        "C m is the number of samples; a client sampled twice counts twice.",
        "It is unbiased selection, rho_bar = rho_tilde = 1 in biased_selection_strongly_convex_decaying.",
        "The sampling variance is added at every local step, though it occurs once a round; and at tau = 1 a "
        "variance would do in place of G^2: see fedavg_strongly_convex_decaying_one_step.",
        *FULL.remarks[:2],
    ),
    source=LI_2020_FEDAVG.at(
        "Theorem 2 (scheme I)",
        note="Stated there with time from 1; proved here with time from 0.",
        letters={**LI_2020_FEDAVG.letters, "N": m, "K": C * m},
    ),
    prose=__doc__,
)
