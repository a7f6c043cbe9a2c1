"""DP-FedAvg: the drift of the clients and what clipping takes off count twice, by Young's inequality."""

from sympy import Rational

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.dp_fedavg_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
l = Rational(101, 50)
"""The weight of the descent, times s: 2 over the part of the squared gradient that the drift leaves."""

PROOF = Certificate(
    THEOREM,
    charts=(inverse_steps_chart(h, 1),),
    steps=(
        step("descent", PRIVATE_DESCENT, weight=l / s),
        step("direction", SQUARE, of=a.mean + clipped_part, weight=l * (1 - s * L) / 2),
        step(
            "clipping against drift",
            SUM_OF_TWO,
            u=clipped_part,
            v=-e.mean,
            y=1,
            removes=inner(clipped_part, e.mean),
        ),
        step("clipping", CLIPPED_PART, removes=square(clipped_part)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("error of a client", GRADIENT_BIAS, h=h, removes=square(e)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
