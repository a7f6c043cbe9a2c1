r"""FedAvg on smooth non-convex losses, partial participation.

The descent has the weight l/s with l = 63/50 + (3/5) s L: at s L <= 1/24 and eta L tau <= 1/8, l is at least
one over the part of the squared gradient that the errors leave, and at most 1.285.
"""

from sympy import Rational

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_sharp import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, Rational(1, 24)),),
    steps=(
        step("descent", DESCENT, weight=(Rational(63, 50) + Rational(3, 5) * s * L) / s),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "dispersion of the directions",
            SUM_OF_TWO,
            u=g - g.mean,
            v=e.mean - e,
            y=Rational(1, 9),
            removes=inner(g, e),
        ),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=e.mean,
            w=Rational(1, 5),
            removes=inner(g.mean, e.mean),
        ),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
