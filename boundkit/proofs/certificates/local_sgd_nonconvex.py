"""Local SGD on homogeneous clients: the gradients that the clients took absorb the spread of their models."""

from boundkit.proofs.authoring import *
from boundkit.theorems.local_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(full_chart(1),),
    steps=(
        step("descent", VIRTUAL_DESCENT, weight=2 / s),
        step("mean gradient", JENSEN, of=V, removes=square(V.mean)),
        step("spread of the clients", ALIKE_SPREAD, weight=1),
        step("gradients of the clients", SQUARE, of=local_gradient, removes=inner(Q, V.mean)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
