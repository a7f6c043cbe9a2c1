r"""FedExP on smooth non-convex losses: means over the rounds with the server steps as weights."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fedexp_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 6)

PROOF = Certificate(
    THEOREM,
    charts=(full_chart(h),),
    steps=(
        step("descent", ADAPTIVE_DESCENT, weight=Rational(5, 4) / s),
        step("squared updates", SUM_OF_TWO, u=g, v=-e, y=Rational(1, 10), removes=inner(g, e)),
        error_against_gradient(Rational(1, 14)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("error of a client", GRADIENT_BIAS, h=h, removes=square(e)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", WEIGHTED_TELESCOPING_LOSS, removes=decrease_by_step),
    ),
)
