"""Selection by the losses, of any kind, compared at the start of the round."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_corrected import THEOREM

share = Rational(3, 4)

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(share, offset - tau + 1, offset - 4, 1 - eta * mu * offset, positive=True),),
    contraction=eta * mu * (1 + share * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_LOCAL_GRADIENTS, removes=local_gradients),
        step("along the deviation", STEP_TOWARDS_MEAN, removes=towards_mean),
        step("convexity", STEP_EXCESS_AT_START, removes=local_excess),
        step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
        step("strong convexity", START_GAP, weight=2 * share * rho_bar * eta),
        step("walk", STEP_WALK, removes=walk),
    ),
)
