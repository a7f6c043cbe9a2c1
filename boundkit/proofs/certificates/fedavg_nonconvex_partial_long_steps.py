r"""FedAvg on smooth non-convex losses, partial participation, with steps up to s L = 1.

The descent has the weight l/s with l = 883/500 + (49/125) s L, at least one over the part of the squared
gradient that the errors leave.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_long_steps import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 4)
c = s * L
l = Rational(883, 500) + Rational(49, 125) * c
k = Rational(61, 25) + Rational(9, 125) * c
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, 1),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(431, 1000)),
        error_against_gradient(Rational(21, 50)),
        step("errors of participants", SQUARE, of=e.mean, weight=k * c * share),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(4, 25), Rational(7, 20), Rational(67, 100)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
