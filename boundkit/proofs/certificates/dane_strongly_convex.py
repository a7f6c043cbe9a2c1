"""One solver with a similar loss: the Bregman distance of the optimum shrinks by 1 - mu/(mu + 2 mu_prox)."""

from boundkit.algebra.notation import mu, mu_prox
from boundkit.proofs.authoring import *
from boundkit.theorems.dane_strongly_convex import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(CoordinateChart(),),
    contraction=mu / (mu + 2 * mu_prox),
    steps=(
        step("smoothness", RELATIVE_SMOOTHNESS, removes=next_loss_gap),
        step("strong convexity", RELATIVE_CONVEXITY, removes=loss_gap),
        step("solution", BREGMAN_SOLUTION, removes=next_bregman),
    ),
)
