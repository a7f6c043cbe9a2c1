"""Selection by the losses, compared at the start of the round."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(Rational(3, 16), offset - tau + 1, positive=True),),
    contraction=eta * mu * (1 + Rational(3, 16) * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_GRADIENTS, removes=local_gradients),
        step("excess loss", STEP_EXCESS_AT_START, removes=local_excess),
        step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
        step("strong convexity", START_CONVEXITY, removes=start_gap),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)
