r"""FedVARP on smooth non-convex losses: longer steps where few clients participate.

The terms are those of fedvarp_nonconvex_sharp, with two terms of noise: of the sampled clients, and of old
updates. The length of a round, $s = eta_s eta tau$, may be of the order $C^(2/3)/L$ in place of
$C^(3/2) sqrt(m)/L$: with one client a round $m^(-2/3)$ in place of $1/m$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex_sharp import THEOREM as SHARP

_round = eta_s * eta * tau
_sampling = (1 - C) / (C * (m - 1))

THEOREM = variant(
    SHARP,
    "fedvarp_nonconvex_long_steps",
    title="FedVARP, longer steps",
    steps=(
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most((_round * L) ** 2 * _sampling, C / 48),
        at_most((_round * L) ** 3 * _sampling, C**2 / 64),
    ),
    terms=(
        derived("initial gap", Rational(13, 8) * gap / (_round * T), "0.62 of the squared gradient is left"),
        derived(
            "stochastic noise",
            Rational(21, 20) * eta_s * eta * L * sigma**2 / (C * m),
            "(7/12)(10/9) over 0.62: the direction weighs at most 7/12",
        ),
        derived(
            "stochastic noise",
            Rational(18, 5) * eta_s * eta * L * sigma**2 * _sampling,
            "(20/9) over 0.62: twice the sampling variance of the stored updates",
            label="noise of old updates",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * sigma**2 * (tau - 1),
            "3/5 over 0.62",
        ),
        derived(
            "client drift",
            Rational(1, 2) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "3/10 over 0.62",
        ),
        derived(
            "start-up",
            Rational(13, 4) * _round * L * _sampling / C * gradients_start**2 / T,
            "2 over 0.62: the weight of the first stored updates",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {C: 1},
            factors={
                "initial gap": Rational(5, 4),
                "stochastic noise": Rational(7, 5),
                "noise drift": Rational(20, 17),
                "client drift": Rational(10, 9),
            },
            because="with full participation FedVARP is FedAvg, and the start-up vanishes",
        ),
    ),
    remarks=("All step conditions but that on eta L tau follow from s L <= C^(2/3)/7.",),
    prose=__doc__,
)
