"""FedLin on convex losses: the error of the corrected steps is a part of the mean gradient."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.fedlin_convex import THEOREM

s = round_of(THEOREM).length
remaining = Rational(3, 8) * (2 - s * L)
"""The part of s times the squared gradient that a round leaves."""

PROOF = Certificate(
    THEOREM,
    charts=(server_steps_chart(1),),
    steps=(
        step("descent", MEAN_GRADIENT_DESCENT, weight=1 / (s * remaining)),
        error_against_gradient(s * L / 4),
        step("error", MEAN_GRADIENT_ERROR, removes=square(e.mean)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
