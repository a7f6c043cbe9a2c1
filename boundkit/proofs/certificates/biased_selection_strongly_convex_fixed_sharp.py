"""Selection by the losses, compared at the mean of the local models, with a constant step size."""

from sympy import S

from boundkit.algebra.notation import L, eta, mu, rho_bar
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_fixed_sharp import THEOREM

share = Rational(3, 4)
B = 1 + share * rho_bar

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(share),),
    contraction=eta * mu * B,
    potential={S.Zero: eta * L},
    steps=(
        step("squared distance", STEP_DISTANCE_BY_MEAN, removes=next_square_distance),
        step("deviation after the step", STEP_NEXT_DEVIATION, removes=next_deviation),
        step("mean of the gradients", STEP_JENSEN, removes=mean_gradient),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_LOCAL_GRADIENTS, removes=local_gradients),
        step("smoothness", STEP_EXCESS_AT_MEAN, removes=local_excess),
        step("excess loss of the clients", SELECTED_EXCESS, removes=mean_excess),
        step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
        step("deviation", STEP_DEVIATION, weight=eta * L * B),
        step("walk", STEP_WALK, removes=walk),
    ),
)
