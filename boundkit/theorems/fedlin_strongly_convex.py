"""FedLin under the Polyak-Lojasiewicz inequality, convex losses: linear on heterogeneous clients.

Local steps cannot help in the worst case: one client of curvature $L$ and $L/mu - 1$ linear ones shrink the
loss gap by no more than $(1 - mu s)^2$ a round, and gradient descent by $1 - mu s (2 - s L)$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedlin_convex import THEOREM as CONVEX_CASE

_round = eta_s * eta * tau

THEOREM = variant(
    CONVEX_CASE,
    "fedlin_strongly_convex",
    title="FedLin, convex, Polyak-Lojasiewicz",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH, CONVEX, POLYAK_LOJASIEWICZ, NO_NOISE, WEIGHTED_OBJECTIVE, FULL_PARTICIPATION, COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(eta_s, 1), at_most(mu_pl, L)),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(3, 4) * mu_pl * _round * (2 - L * _round)) ** T * gap,
            "(3/8) s (2 - s L) of the squared gradient survives each round",
        ),
    ),
    remarks=(
        "At s = 1/L the rate is 1 - 3 mu_pl/(4 L) a round; the paper has 1 - mu/(6 L) (recalled).",
        "Strong convexity of the mean loss suffices, with mu_pl = mu.",
    ),
    source=MITRA_2021.at("the linear rate", note="Recalled; the constants are those of the proof here."),
    prose=__doc__,
)  # fmt: skip
