"""Steps that fall: a local step of all clients contracts the distance of their mean from the optimum."""

from boundkit.algebra.notation import eta, mu, offset, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_strongly_convex_decaying import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(local_step_chart(Rational(1, 4), offset - tau + 1),),
    contraction=eta * mu,
    steps=(
        step("squared distance", STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", STEP_APPROACH, removes=local_approach),
        step("gradients", STEP_GRADIENTS, removes=local_gradients),
        step("excess loss", STEP_EXCESS, removes=local_excess),
        step("excess loss of the clients", ALL_EXCESS, removes=mean_excess),
        step("deviation", STEP_DEVIATION, removes=deviation),
        step("walk", STEP_WALK, removes=walk),
    ),
)
