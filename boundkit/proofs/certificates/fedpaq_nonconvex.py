r"""FedPAQ: FedAvg's steps, where the compression adds the squared directions of the clients.

The weight of the descent, l/s, grows with u = comp_noise s L/(C m) <= 1/24, too.
"""

from sympy import Rational

from boundkit.algebra.notation import C, L, comp_noise, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedpaq_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 8)
u = comp_noise * s * L / (C * m)
l = Rational(63, 50) + Rational(12, 25) * s * L + Rational(11, 20) * u

PROOF = Certificate(
    THEOREM,
    charts=(compressed_updates_chart(h, Rational(1, 24)),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("participation", COMPRESSED_PARTICIPATION, removes=direction),
        step("compressed directions", SUM_OF_TWO, u=g, v=-e, y=Rational(1, 14), weight=u * (1 + 5 * u) / 18),
        dispersion_of_directions(Rational(7, 200)),
        error_against_gradient(Rational(1, 5)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(53, 500), Rational(303, 1000), Rational(69, 125)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
