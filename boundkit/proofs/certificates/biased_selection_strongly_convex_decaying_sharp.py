"""Selection by the losses, compared at the mean of the local models, with steps that fall."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM

share = Rational(7, 10)

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(share, offset - tau + 1, positive=True),),
    contraction=eta * mu * (1 + share * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH_AT_MEAN, removes=local_approach),
        step("gradients", STEP_GRADIENTS_AT_MEAN, y=Rational(1, 5), removes=local_gradients),
        step("excess loss of the clients", SELECTED_EXCESS, removes=mean_excess),
        step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)
