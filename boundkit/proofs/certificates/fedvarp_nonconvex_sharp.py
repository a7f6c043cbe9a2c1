r"""FedVARP on smooth non-convex losses: F + s w A falls, with A the error of the stored updates.

In units of l, the weight of the descent over s: E||v||^2 weighs at most (9/16) c, the variance of a client
(27/8) c/(C m l), the error of a client (15/8)/l. The descent keeps 3/4 - (9/32) c of the squared gradient, of
which l = 1341/1000 + (5/9) c is at least the inverse, with what the error of a client takes. Where the error
of the stored updates falls faster, by smaller w, their start-up costs half as much.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex_sharp import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
l = Rational(1341, 1000) + Rational(5, 9) * c
share = (1 - C) / (C * (m - 1))

PROOF = Certificate(
    THEOREM,
    charts=(partial_chart(h, Rational(1, 4), limits=((C * m) ** 3 - (8 * c * m) ** 2,)),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("stored updates", STORED_ERROR, w=C / 2, weight=Rational(3, 2) * l * c * share / C),
        step("telescoping of stored updates", TELESCOPING_STORED_ERROR, removes=next_stored_error),
        step("weight of the direction", NONNEGATIVE, of=direction, removes=direction, leaving=9 * l * c / 16),
        step("participation", PARTICIPATION, removes=direction),
        dispersion_of_directions(Rational(1, 3), stored=y),
        step("mean of the stored updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("stored updates fall", SQUARE, of=g - y, removes=inner(g, y)),
        error_against_gradient(Rational(1, 4)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=27 * c / (8 * C * m),
        ),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(15, 8)),
        error_of_a_client(h),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)

_descent = Rational(63, 50) + Rational(3, 5) * c
VARIANTS = (
    PROOF.changed("descent", weight=_descent / s)
    .changed("stored updates", arguments={"w": C / 5}, weight=Rational(79, 100) * _descent * c * share / C)
    .changed("weight of the direction", leaving=Rational(57, 100) * _descent * c)
    .changed("dispersion of the directions", arguments={"y": Rational(1, 10) + Rational(3, 2) * c * share})
    .changed("error against gradient", arguments={"w": Rational(1, 5)})
    .changed("weight of the variance", leaving=2 * _descent * c / (C * m)),
)
