"""By the decrease of a round in which the gradient is above the target, of each size of the gradient."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.clipped_gd_relaxed_smooth import PROOF as DECREASE
from boundkit.theorems.clipped_gd_relaxed_smooth_rounds import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=DECREASE.charts,
    steps=(
        step(
            "rounds above the target",
            ROUNDS_ABOVE,
            a=Rational(4, 3),
            b=Rational(9, 7),
            removes=rounds_above,
        ),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
