r"""FedVARP on smooth non-convex losses: longer steps where few clients participate.

The terms are those of fedvarp_nonconvex_sharp; where few clients participate, old updates add twice the noise
of the sampled ones. The length of a round, $s = eta_s eta tau$, may be of the order $C^(2/3)/L$ in place of
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
        derived("initial gap", Rational(31, 20) * gap / (_round * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            Rational(57, 50) * eta_s * eta * L * sigma**2 * (3 - 2 * C) / (C * m),
            "(33/50)(10/9)(31/20), rounded up: by the direction, and twice as much by old updates where "
            "few clients participate",
        ),
        derived(
            "noise drift",
            Rational(87, 100) * eta**2 * L**2 * sigma**2 * (tau - 1),
            "(1341/2500)(323/200), rounded up",
        ),
        derived(
            "client drift",
            Rational(97, 200) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "(239/800)(323/200), rounded up",
        ),
        derived(
            "start-up",
            Rational(43, 25) * _round * L * _sampling / C * gradients_start**2 / T,
            "(3/2)(217/200) of the dispersion's weight, which is at most 681/1000, times 31/20, rounded up",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {C: 1},
            factors={
                "initial gap": Rational(31, 26),
                "stochastic noise": Rational(38, 25),
                "noise drift": Rational(87, 85),
                "client drift": Rational(97, 90),
            },
            because="with full participation FedVARP is FedAvg, and the start-up vanishes",
        ),
    ),
    remarks=("All step conditions but that on eta L tau follow from s L <= C^(2/3)/7.",),
    prose=__doc__,
)
