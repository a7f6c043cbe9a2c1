r"""FedAvg on smooth convex losses: clients with weights, sampled in any unbiased way.

Spread, slack and share noise of a scheme are those of fedavg_nonconvex_sampling.
"""

from boundkit.algebra.authoring import *

_S = eta_s * eta * tau

THEOREM = upper(
    "fedavg_convex_sampling",
    title="FedAvg, convex, weights and any unbiased sampling",
    algorithm="fedavg",
    costs="fedavg_sampling",
    bounds=MEAN_LOSS_GAP,
    assumes=(*CONVEX_NOISY, *WEIGHTED_CLIENTS),
    requires=(at_most(sampling_slack, sampling_spread),),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(24 * _S * L * (1 + sampling_spread - sampling_slack), 1),
    ),
    terms=(
        derived("initial gap", Rational(8, 15) * distance**2 / (_S * T), "15/8 of F - F* a round survives"),
        derived(
            "stochastic noise",
            eta_s * eta * sigma**2 * (128 * share_noise + 7 * sampling_spread) / 240,
            "1 by the variance of a client, over 15/8; the rest by its error",
        ),
        derived(
            "noise drift",
            Rational(3, 20) * L * eta**2 * (tau - 1) * sigma**2,
            "1/4 by the variance of the local models, over 15/8; the rest by what noise displaces their "
            "means",
        ),
        derived(
            "partial participation",
            Rational(11, 18) * _S * sampling_spread * sigma_g**2,
            "1 by the spread of the directions, over 15/8; the rest by the error of a client",
        ),
        derived(
            "client drift",
            Rational(2, 9) * L * eta**2 * tau * (tau - 1) * sigma_g**2,
            "1/3 by the displacement of the means of the local models, over 15/8; the rest by the error of a "
            "client",
        ),
    ),
    becomes=(
        to(
            "fedavg_convex_partial_sharp",
            {
                sampling_spread: (1 - C) / (C * (m - 1)),
                sampling_slack: (1 - C) / (C * (m - 1)),
                share_noise: 1 / (C * m),
            },
            factors={"stochastic noise": (128 + 7 * (1 - C) * m / (m - 1)) / 135},
            because="equal weights, uniform sampling without replacement: the same steps, and 8/15 to 9/16 "
            "for the noise",
        ),
    ),
    source=LI_2020_FEDAVG.at(
        "schemes I and II (the sampling); constants proved here",
        note="The source has two schemes for strongly convex losses and decaying steps. This statement "
        "stands on its proof alone.",
    ),
    prose=__doc__,
)
