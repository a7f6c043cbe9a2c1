"""FedAvg on strongly convex losses, C m clients sampled uniformly without replacement, decaying step size.

As fedavg_strongly_convex_decaying_replacement, but no client is sampled twice: the sampling term has the
factor $(1 - C) m/(m - 1)$ and vanishes with full participation. All clients must have equal weights, since
the sampled models are averaged without weights.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM as FULL

_INSTEAD = {FULL_PARTICIPATION: PARTIAL_PARTICIPATION, WEIGHTED_OBJECTIVE: EQUAL_WEIGHTS}

THEOREM = variant(
    FULL,
    "fedavg_strongly_convex_decaying_uniform",
    title="FedAvg, strongly convex, uniform sampling, decaying step size",
    assumes=tuple(_INSTEAD.get(a, a) for a in FULL.assumptions),
    requires=(*FULL.requires, at_least(m, 2)),
    terms=(
        *FULL.terms,
        derived(
            "partial participation",
            8 * L * tau**2 * G**2 * (1 - C) / (C * (m - 1) * mu**2 * (offset + tau * T)),
            "8 = 2 4: as with replacement, times (1 - C) m/(m - 1)",
        ),
    ),
    definitions={sigma_mean: sqrt(ClientSum(sigma_i**2)) / m, offset: Max(8 * L / mu, tau)},
    becomes=(
        to("fedavg_strongly_convex_decaying", {C: 1}, because="at C = 1 all clients participate"),
        to(
            "fedavg_strongly_convex_decaying_replacement",
            factors={"partial participation": (1 - C) * m / (m - 1)},
            because="nobody is sampled twice",
        ),
    ),
    limits=(),
    remarks=(
        "For unequal weights the source rescales the losses to p_i m F_i, and L, mu, sigma_i and G with "
        "them: the condition number grows by the ratio of the largest to the smallest weight.",
        "The sampling variance is added at every local step, though it occurs once a round.",
        *FULL.remarks[:2],
    ),
    source=LI_2020_FEDAVG.at(
        "Theorem 3 (scheme II)",
        note="Stated there with time from 1; proved here with time from 0.",
        letters={
            "E": tau,
            "T": T * tau,
            "kappa": L / mu,
            "gamma": offset,
            "||w_1 - w*||": distance,
            "N": m,
            "K": C * m,
        },
    ),
    prose=__doc__,
)
