"""FedAvg on convex losses at the virtual average: clients leave gradient descent on the mean loss slowly.

The move of a step is paid for by cocoercivity, and the loss at the end of the run by the distance there.
"""

from boundkit.algebra.notation import L, eta
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_convex_sharp import THEOREM

c = eta * L

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(1),),
    steps=(
        step("three points", VIRTUAL_THREE_POINTS, removes=virtual_loss_gap),
        step("approach", VIRTUAL_APPROACH, removes=approach),
        step("squared move", SQUARE, of=local_gradient.mean, weight=(1 - c) / (2 * L)),
        step("distance of the clients", CONVEX_SPREAD, a=Rational(21, 10), removes=spread),
        step("telescoping", TELESCOPING_DISTANCE_AND_LOSS, part=c, removes=square_distance),
    ),
)
VARIANTS = (PROOF.changed("distance of the clients", {"a": 6}),)
