"""FedAvg on convex losses at the virtual average: distances of two clients grow from 0 in every round."""

from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_convex_sharp import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(Rational(1, 2)),),
    steps=(
        step("three points", VIRTUAL_THREE_POINTS, removes=virtual_loss_gap),
        step("approach", VIRTUAL_APPROACH, removes=approach),
        step("distance of the clients", CONVEX_SPREAD, p=Rational(3, 4), removes=spread),
        step("telescoping", TELESCOPING_DISTANCE, removes=square_distance),
    ),
)
