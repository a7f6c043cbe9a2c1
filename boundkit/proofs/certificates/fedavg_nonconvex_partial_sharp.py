r"""FedAvg on smooth non-convex losses, partial participation.

The descent has the weight l/s with l = (32 + 12 s L)/25: at s L <= 1/24 and eta L tau <= 1/8, l is at least
one over the part of the squared gradient that the errors leave, and at most 13/10.
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
        step("descent", DESCENT, weight=(Rational(32, 25) + Rational(12, 25) * s * L) / s),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(1, 50)),
        error_against_gradient(Rational(213, 1000)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(1, 11), Rational(149, 500), Rational(5, 9)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
