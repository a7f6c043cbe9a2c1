"""FedLin on smooth convex losses with full gradients: $1/T$ from heterogeneous clients, with no drift.

Local steps save nothing in this bound, and cost a factor 4/3 against gradient descent with the step of a
round.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "fedlin_convex",
    title="FedLin, convex",
    algorithm="fedlin",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        SMOOTH, CONVEX, BOUNDED_BELOW, NO_NOISE, WEIGHTED_OBJECTIVE, FULL_PARTICIPATION, COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(eta_s, 1),),
    steps=(at_most(_round, 1 / L),),
    terms=(
        derived(
            "initial gap",
            8 * gap / (3 * _round * (2 - L * _round) * T),
            "(3/8) s (2 - s L) of the squared gradient survives each round",
        ),
    ),
    remarks=(
        "At tau = 1 it is gradient descent, whose constant is 2 in place of 8/3: the price of local steps.",
    ),
    source=MITRA_2021.at("the convex rate", note="Recalled; the constants are those of the proof here."),
    prose=__doc__,
)  # fmt: skip
