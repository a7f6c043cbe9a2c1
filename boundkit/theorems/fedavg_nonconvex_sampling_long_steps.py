r"""FedAvg on smooth non-convex losses, any unbiased sampling of clients with weights, at larger step sizes.

Assumptions and terms are those of fedavg_nonconvex_sampling. Where spread and slack agree the length of a
round may be that of gradient descent, $eta_s eta tau = 1/L$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_sampling import THEOREM as SHORT

_S = eta_s * eta * tau

THEOREM = variant(
    SHORT,
    "fedavg_nonconvex_sampling_long_steps",
    title="FedAvg, non-convex, weights and any unbiased sampling, larger step sizes",
    steps=(
        at_most(eta, 1 / (4 * L * tau)),
        at_most(_S * L * (1 + 14 * (sampling_spread - sampling_slack)), 1),
    ),
    terms=(
        derived(
            "initial gap", Rational(11, 5) * gap / (_S * T), "5/11 of the squared gradient a round survives"
        ),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 * (15 * share_noise + 3 * sampling_spread) / 10,
            "(4/3)/2 by the variance of a client, and its error, over what is left, rounded up",
        ),
        derived(
            "noise drift",
            Rational(3, 4) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "84/125 by the error of a client, times its weight over what is left, rounded up",
        ),
        derived(
            "partial participation",
            Rational(8, 5) * _S * L * sampling_spread * sigma_g**2,
            "by the spread of the directions and the error of a client, over what is left, rounded up",
        ),
        derived(
            "client drift",
            Rational(2, 5) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "87/250 by the error of a client, otherwise as the noise drift",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_long_steps",
            {
                sampling_spread: (1 - C) / (C * (m - 1)),
                sampling_slack: (1 - C) / (C * (m - 1)),
                share_noise: 1 / (C * m),
            },
            factors={"stochastic noise": 3 * (5 + (1 - C) * m / (m - 1)) / 16},
            because="equal weights, uniform sampling without replacement: the same steps, and 3/2 to 9/5 "
            "for the noise",
        ),
    ),
    remarks=("At small step sizes fedavg_nonconvex_sampling is better, since its constants are smaller.",),
    prose=__doc__,
)
