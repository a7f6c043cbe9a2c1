r"""FedVARP on smooth non-convex losses: F + s w A falls, with A the error of the stored updates.

The descent weighs (373/250)/s, E||v||^2 (891/1000) c, the variance of a client (211/100) c/(C m), and
its error 13/8.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex_sharp import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, Rational(1, 4), limits=((C * m) ** 3 - (8 * c * m) ** 2,)),),
    steps=(
        step("descent", DESCENT, weight=Rational(373, 250) / s),
        step("stored updates", STORED_ERROR, w=33 * C / 250, weight=Rational(43, 40) * c * share / C),
        step("telescoping of stored updates", TELESCOPING_STORED_ERROR, removes=next_stored_error),
        step("weight of the direction", NONNEGATIVE, of=direction, removes=direction, leaving=891 * c / 1000),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(23, 500), stored=y),
        step("mean of the stored updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("stored updates fall", SQUARE, of=g - y, removes=inner(g, y)),
        error_against_gradient(Rational(63, 250) - c / 100),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=211 * c / (100 * C * m),
        ),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(13, 8)),
        error_of_a_client(h, Rational(3, 40), Rational(577, 2000), Rational(2707, 5000)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
