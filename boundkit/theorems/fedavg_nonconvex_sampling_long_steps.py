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
            "initial gap", Rational(7, 3) * gap / (_S * T), "3/7 of the squared gradient a round survives"
        ),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 * (25 * share_noise + 5 * sampling_spread) / 16,
            "(4/3)/2 by the variance of a client and (17/64)/2 by its error, over 3/7, rounded up",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            "17/20 by the error of a client, times at most 1.165, its weight over what is left",
        ),
        derived(
            "partial participation",
            Rational(8, 5) * _S * L * sampling_spread * sigma_g**2,
            "(5/4 + 15/128)/2 by the spread of the directions and the error of a client, over 3/7",
        ),
        derived(
            "client drift",
            Rational(7, 16) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "3/8 by the error of a client, otherwise as the noise drift",
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
            factors={"stochastic noise": (5 + (1 - C) * m / (m - 1)) / 6},
            because="equal weights, uniform sampling without replacement: the same steps, and 25/16 to 30/16 "
            "for the noise",
        ),
    ),
    remarks=("At small step sizes fedavg_nonconvex_sampling is better, since its constants are smaller.",),
    prose=__doc__,
)
