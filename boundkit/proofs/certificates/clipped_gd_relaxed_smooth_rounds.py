"""By the mean decrease over the rounds in which the gradient is above the target."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.clipped_gd_relaxed_smooth import PROOF as DECREASE
from boundkit.theorems.clipped_gd_relaxed_smooth_rounds import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=DECREASE.charts,
    steps=(step("rounds above the target", ROUNDS_ABOVE, removes=rounds_above), *DECREASE.steps),
)
