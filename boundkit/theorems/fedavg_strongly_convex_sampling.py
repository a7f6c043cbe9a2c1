r"""FedAvg on strongly convex losses: clients with weights, sampled in any unbiased way.

Spread, slack and share noise of a scheme are those of fedavg_nonconvex_sampling.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_sampling import THEOREM as CONVEX_SAMPLING

_S = eta_s * eta * tau

THEOREM = variant(
    CONVEX_SAMPLING,
    "fedavg_strongly_convex_sampling",
    title="FedAvg, strongly convex, weights and any unbiased sampling",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(*STRONGLY_CONVEX_NOISY, *WEIGHTED_CLIENTS),
    requires=(at_most(mu, L), at_most(sampling_slack, sampling_spread)),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(7, 5) * mu * _S) ** T * distance**2,
            "mu/2 from the three points and 9/10 mu from the loss gap that is left",
        ),
        derived(
            "stochastic noise",
            eta_s * eta * sigma**2 * (25 * share_noise + 3 * sampling_spread) / (35 * mu),
            "1 by the variance of a client and 153/2048 by its error, times 5/7 from the geometric sum",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * L * eta**2 * (tau - 1) * sigma**2 / mu,
            "(17/32)(2 + 5/24), times 5/7, rounded up; tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(5, 6) * _S * sampling_spread * sigma_g**2 / mu,
            "9/8 + 81/2048, times 5/7, rounded up",
        ),
        derived(
            "client drift",
            Rational(3, 5) * L * eta**2 * tau * (tau - 1) * sigma_g**2 / mu,
            "3/4 + (5/24)(9/32), times 5/7, rounded up; tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_strongly_convex_partial_sharp",
            {
                sampling_spread: (1 - C) / (C * (m - 1)),
                sampling_slack: (1 - C) / (C * (m - 1)),
                share_noise: 1 / (C * m),
            },
            factors={"stochastic noise": (25 + 3 * (1 - C) * m / (m - 1)) / 28},
            because="equal weights, uniform sampling without replacement: the same steps, and 25/35 to 28/35 "
            "for the noise",
        ),
    ),
    prose=__doc__,
)
