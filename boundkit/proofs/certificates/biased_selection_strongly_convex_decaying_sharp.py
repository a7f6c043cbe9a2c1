"""Selection by the losses, of any kind, compared at the start of the round."""

from sympy import S

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM

share = Rational(3, 4)

PROOF = Certificate(
    THEOREM,
    charts=(selection_chart(share, offset - tau, offset - 8, 2 - eta * mu * offset),),
    contraction=eta * mu * (1 + share * rho_bar),
    potential={S.Zero: S.One},
    steps=(
        step("squared distance", STEP_DISTANCE_BY_MEAN, removes=next_square_distance),
        step("deviation after the step", STEP_NEXT_DEVIATION, removes=next_deviation),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_LOCAL_GRADIENTS, removes=local_gradients),
        step("convexity", STEP_EXCESS_AT_START, removes=local_excess),
        step("excess loss of the clients", SELECTED_EXCESS_AT_START, removes=start_excess),
        step("strong convexity", START_GAP, weight=2 * share * rho_bar * eta),
        step("walk", STEP_WALK_BY_FIRST, removes=walk),
    ),
)
