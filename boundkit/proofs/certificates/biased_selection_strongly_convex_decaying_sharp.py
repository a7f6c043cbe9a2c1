"""Selection by the losses, compared at the mean of the local models, with steps that fall."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM

share = Rational(3, 4)

PROOF = Certificate(
    THEOREM,
    charts=one_step_or_more(
        selection_chart(share, offset - tau + 1, offset - 4, 1 - eta * mu * offset, positive=True)
    ),
    contraction=eta * mu * (1 + share * rho_bar),
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_LOCAL_GRADIENTS, removes=local_gradients),
        step("smoothness", STEP_EXCESS_AT_MEAN, removes=local_excess),
        step("along the deviation", STEP_TOWARDS_MEAN, removes=towards_mean),
        step("excess loss of the clients", SELECTED_EXCESS, removes=mean_excess),
        step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)
