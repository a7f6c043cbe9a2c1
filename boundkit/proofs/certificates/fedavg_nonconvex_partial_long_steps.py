r"""FedAvg on smooth non-convex losses, partial participation, with steps up to s L = 1.

The descent has the weight l/s with l = 7/4 + (7/12) s L, at least one over the part of the squared gradient
that the errors leave.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_long_steps import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 4)
l = Rational(7, 4) + Rational(7, 12) * s * L
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, 1),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(1, 4)),
        error_against_gradient(Rational(2, 5)),
        step("errors of participants", SQUARE, of=e.mean, weight=Rational(5, 2) * l * s * L * share),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(37, 250), Rational(3, 8), Rational(17, 20)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
