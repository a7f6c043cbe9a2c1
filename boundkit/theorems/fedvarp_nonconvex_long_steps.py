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
        derived("initial gap", Rational(38, 25) * gap / (_round * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 / (C * m),
            "(7/12)(10/9)(38/25), rounded up: the direction weighs at most 7/12",
        ),
        derived(
            "stochastic noise",
            Rational(19, 10) * eta_s * eta * L * sigma**2 * _sampling,
            "(10/9)(81/50)(69/100)(38/25), rounded up: the weight of the stored updates",
            label="noise of old updates",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * sigma**2 * (tau - 1),
            "(1341/2500)(41/25), rounded up",
        ),
        derived(
            "client drift",
            Rational(49, 100) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "(239/800)(41/25), rounded up",
        ),
        derived(
            "start-up",
            Rational(17, 10) * _round * L * _sampling / C * gradients_start**2 / T,
            "(81/50)(69/100)(38/25), rounded up: the weight of the first stored updates",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {C: 1},
            factors={
                "initial gap": Rational(76, 65),
                "stochastic noise": Rational(4, 3),
                "noise drift": Rational(88, 85),
                "client drift": Rational(49, 45),
            },
            because="with full participation FedVARP is FedAvg, and the start-up vanishes",
        ),
    ),
    remarks=("All step conditions but that on eta L tau follow from s L <= C^(2/3)/7.",),
    prose=__doc__,
)
