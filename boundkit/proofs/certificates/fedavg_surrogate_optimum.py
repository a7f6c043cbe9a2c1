"""The gradient of the objective is its difference from that of the surrogate, which is 0."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_surrogate_optimum import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(CoordinateChart(),),
    steps=(
        step("objective inconsistency", TWO_WEIGHTINGS, removes=square(P)),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("no gradient of the surrogate", SURROGATE_STATIONARY, against=g.mean, removes=square(g.mean)),
        step("nor a product with it", SURROGATE_STATIONARY, against=P, removes=inner(g.mean, P)),
    ),
)
