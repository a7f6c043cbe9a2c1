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
l = 1 / (Rational(321, 400) - Rational(13, 50) * s * L - Rational(33, 100) * u)

PROOF = Certificate(
    THEOREM,
    charts=(compressed_updates_chart(h, Rational(3, 10), Rational(1, 24)),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("participation", COMPRESSED_PARTICIPATION, removes=direction),
        step("compressed directions", SUM_OF_TWO, u=g, v=-e, y=Rational(1, 14), weight=u * (1 + 5 * u) / 18),
        dispersion_of_directions(Rational(1, 5)),
        error_against_gradient((95 - 34 * s * L) / 500),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(1, 12), Rational(37, 125), Rational(13, 25), shared=True, whole=True),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
