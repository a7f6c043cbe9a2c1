r"""FedExP on smooth convex losses: means over the rounds with the server steps as weights."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fedexp_convex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(full_chart(Rational(1, 6)),),
    steps=(
        step("mean model", MEAN_MODEL, removes=iterate_gap),
        step("squared distance", ADAPTIVE_DISTANCE, weight=Rational(7, 9) / s),
        step("three points", THREE_POINTS, removes=inner(g.mean, X)),
        step("squared updates", GRADIENT_DIRECTION, removes=square(e)),
        step("displacement of a client", GRADIENT_DISPLACEMENT, removes=displacement),
        step("dissimilarity", OPTIMUM_DISSIMILARITY, removes=square(g)),
        step("telescoping", WEIGHTED_TELESCOPING_DISTANCE, removes=approach_by_step),
    ),
)
