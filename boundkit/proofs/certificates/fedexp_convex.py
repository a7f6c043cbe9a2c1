r"""FedExP on smooth convex losses: means over the rounds with the server steps as weights.

Each client is above the tangents of its local models by the squared difference of its gradients from those
at the optimum, which pays for the squared updates.
"""

from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.fedexp_convex import THEOREM

s = round_of(THEOREM).length
half = Rational(21, 40)
moved = half * L * eta**2 * (tau - 1) * (2 * tau - 1) / 6
"""Half of the weight of <a, x - x*>, and that of mean_i ||g_i||^2 in the displacement."""

PROOF = Certificate(
    THEOREM,
    charts=(full_chart(Rational(1, 4)),),
    steps=(
        step("mean model", MEAN_MODEL, removes=iterate_gap),
        step("squared distance", ADAPTIVE_DISTANCE, weight=half / s),
        step("three points of each client", COCOERCIVE_THREE_POINTS, part=1, of=a - o, weight=2 * half),
        step("squared updates", SUM_OF_TWO, u=a - o, v=o, y=3, weight=half * s),
        step("weight of the updates", SQUARE, of=a - o, weight=half * (1 / L - 4 * s)),
        step("displacement of a client", GRADIENT_DISPLACEMENT, removes=displacement),
        step("gradients", SUM_OF_TWO, u=g - o, v=o, y=Rational(9, 7), weight=moved),
        step("gradients and loss", GRADIENTS_AND_OPTIMUM, removes=inner(g, o)),
        step("dissimilarity", OPTIMUM_DISSIMILARITY, removes=square(o)),
        step("telescoping", WEIGHTED_TELESCOPING_DISTANCE, removes=approach_by_step),
    ),
)
