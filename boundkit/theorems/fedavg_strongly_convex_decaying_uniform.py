r"""FedAvg on strongly convex losses, C m clients drawn uniformly, and a step that decays.

Like fedavg_strongly_convex_decaying_replacement, but nobody is drawn twice: the sampling term carries the
factor (1 - C) m/(m - 1) and vanishes where everybody comes. All clients must weigh the same, since those who
come are averaged as they are.

Proof. As there, with the exact variance of a mean of C m out of m without replacement, which is
(1 - C) m/(m - 1) times that with replacement.
"""

from dataclasses import replace

from sympy import Max, sqrt

from boundkit.algebra import Limit, Reduction, Term
from boundkit.algebra.client_sums import ClientSum
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import C, G, Gamma, L, T, m, mu, offset, sigma_i, sigma_mean, tau
from boundkit.algebra.vocabulary import (
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    PARTIAL_PARTICIPATION,
    WEIGHTED_OBJECTIVE,
)
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM as FULL

_INSTEAD = {FULL_PARTICIPATION: PARTIAL_PARTICIPATION, WEIGHTED_OBJECTIVE: EQUAL_WEIGHTS}

THEOREM = replace(
    FULL,
    name="fedavg_strongly_convex_decaying_uniform",
    assumptions=tuple(_INSTEAD.get(a, a) for a in FULL.assumptions),
    requires=(*FULL.requires, at_least(m, 2)),
    terms=(
        *FULL.terms,
        Term(
            "partial participation",
            8 * L * tau**2 * G**2 * (1 - C) / (C * (m - 1) * mu**2 * (offset + tau * T)),
            provenance="derived",
            because="8 = 2 4: as with replacement, times (1 - C) m/(m - 1)",
        ),
    ),
    definitions={sigma_mean: sqrt(ClientSum(sigma_i**2)) / m, offset: Max(8 * L / mu, tau)},
    reductions=(
        Reduction(to="fedavg_strongly_convex_decaying", when={C: 1}, because="at C = 1 nobody is missing"),
        Reduction(
            to="fedavg_strongly_convex_decaying_replacement",
            when={},
            factors={"partial participation": (1 - C) * m / (m - 1)},
            because="nobody is drawn twice",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("partial participation",)),
        Limit(when={tau: 1}, removes=("client drift",)),
        Limit(when={sigma_mean: 0}, removes=("stochastic noise",)),
        Limit(when={Gamma: 0}, removes=("heterogeneity",)),
    ),
    remarks=(
        "For unequal weights the source rescales the losses to p_i m F_i, and L, mu, sigma_i and G with "
        "them: the condition number grows by the ratio of the largest to the smallest weight.",
        "The sampling is charged at every local step, though it happens once a round.",
        *FULL.remarks[:2],
    ),
    source=replace(
        FULL.source, where="Theorem 3 (scheme II)", renamed={**FULL.source.renamed, "N": m, "K": C * m}
    ),
    prose=__doc__,
)
