r"""FedAvg on smooth convex losses, C m clients a round: the mean gap of the loss.

The five terms of the non-convex case, for the loss gap. The initial gap is a squared distance from the
optimum.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_convex_partial",
    title="FedAvg, convex, partial participation",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(*CONVEX_NOISY, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2),),
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_s * eta, 1 / (24 * L * tau))),
    terms=(
        derived(
            "initial gap",
            distance**2 / (eta_s * eta * tau * T),
            "the squared distance telescopes; F - F* keeps a factor above 1",
        ),
        derived(
            "stochastic noise",
            2 * eta_s * eta * sigma**2 / (C * m),
            "2 from splitting noise and mean",
        ),
        derived(
            "noise drift",
            Rational(5, 2) * L * eta**2 * (tau - 1) * sigma**2,
            "5/2 = (1 + 1/4) 2: the local drift costs 5/4 s L, and its noise is 2",
        ),
        derived(
            "partial participation",
            6 * eta_s * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "6 = 2 times 3: noise split off, then three parts of the mean",
        ),
        derived(
            "client drift",
            10 * L * eta**2 * tau * (tau - 1) * sigma_g**2,
            "10 = (1 + 1/4) 8: as the noise drift, with the drift's 8",
        ),
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I (rate); constants proved here",
        note="The source states rates under a (G, B) dissimilarity. This statement, with reading D2 and "
        "explicit constants, stands on the proof alone.",
    ),
    prose=__doc__,
)
