"""Gradient descent with a robust server: what the step leaves of the squared aggregate absorbs its square."""

from boundkit.algebra.notation import L, robustness
from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_gd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(1),),
    steps=(
        step("descent", ROBUST_DESCENT, weight=2 / s),
        step("aggregate", SQUARE, of=g.mean + aggregate_error, weight=1 - s * L),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step("dissimilarity", DISSIMILARITY, weight=robustness),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
