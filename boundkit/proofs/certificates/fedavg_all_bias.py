"""The gradient of the objective is its difference from that of the surrogate, which is 0 in the limit."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_all_bias import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(CoordinateChart(),),
    steps=(
        step("objective inconsistency", LIMIT_WEIGHTINGS, removes=square(P)),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("no gradient of the surrogate", LIMIT_STATIONARY, against=g.mean, removes=square(g.mean)),
        step("nor a product with it", LIMIT_STATIONARY, against=P, removes=inner(g.mean, P)),
    ),
)
