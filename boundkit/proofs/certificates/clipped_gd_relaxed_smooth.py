"""Clipped gradient descent: a step lowers the loss by 5/9 of its length times the gradient."""

from boundkit.proofs.authoring import *
from boundkit.theorems.clipped_gd_relaxed_smooth import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(clipped_chart(),),
    steps=(
        step("descent", CLIPPED_DESCENT, removes=clipped_decrease),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
