"""EF21: compressed gradients with error feedback, smooth non-convex losses, full gradients.

Compression costs the step size only: the bound is that of gradient descent with a step smaller by $1 -
sqrt(1 - comp_keep)$, and there is no error floor, however heterogeneous the clients are.
"""

from boundkit.algebra.authoring import *

_kept = sqrt(1 - comp_keep)

THEOREM = upper(
    "ef21_nonconvex",
    title="EF21, compressed gradients, non-convex",
    algorithm="ef21",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX, NO_NOISE, CONTRACTIVE_COMPRESSION, EQUAL_WEIGHTS, FULL_PARTICIPATION, ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, (1 - _kept) / L),),
    terms=(
        derived("initial gap", 2 * gap / (eta * T), "half of the squared gradient survives each round"),
        derived(
            "start-up",
            (1 - comp_keep) * control_error**2 / ((1 - _kept) * T),
            "the error of the first messages, summed geometrically",
        ),
    ),
    remarks=(
        "The letter control_error is the root mean square of ||grad F_i(x_0)||, as the first v_i are 0.",
        "With the k largest of d coordinates comp_keep is k/d; with all it is gradient descent.",
    ),
    source=RICHTARIK_2021.at(
        "Theorem 1", note="Recalled; the proof here has one constant of smoothness for all clients."
    ),
    prose=__doc__,
)  # fmt: skip
