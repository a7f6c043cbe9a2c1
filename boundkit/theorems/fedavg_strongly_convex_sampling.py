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
    steps=(
        CONVEX_SAMPLING.step_size[0],
        at_most(12 * _S * L * (1 + sampling_spread - sampling_slack), 1),
    ),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(7, 5) * mu * _S) ** T * distance**2,
            "mu/2 from the three points and 9/10 mu from the loss gap that is left",
        ),
        derived(
            "stochastic noise",
            eta_s * eta * sigma**2 * (125 * share_noise + 8 * sampling_spread) / (175 * mu),
            "1 by the variance of a client, times 5/7 from the geometric sum; the rest by its error",
        ),
        derived(
            "noise drift",
            Rational(21, 100) * L * eta**2 * (tau - 1) * sigma**2 / mu,
            "1/4 by the variance of the local models, times 5/7; the rest by what noise displaces their "
            "means",
        ),
        derived(
            "partial participation",
            Rational(13, 16) * _S * sampling_spread * sigma_g**2 / mu,
            "1 by the dispersion of the directions, times 5/7; the rest by the error of a client",
        ),
        derived(
            "client drift",
            Rational(31, 125) * L * eta**2 * tau * (tau - 1) * sigma_g**2 / mu,
            "1/3 by the displacement of the means of the local models, times 5/7; the rest by the error of a "
            "client",
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
            factors={"stochastic noise": (125 + 8 * (1 - C) * m / (m - 1)) / 133},
            because="equal weights, uniform sampling without replacement: the same steps, and 5/7 to 19/25 "
            "for the noise",
        ),
    ),
    prose=__doc__,
)
