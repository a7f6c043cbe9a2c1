"""MIFA with noise and local steps: a noise is charged when it is new, and the descent pays for old models.

In units of the weight, the error of a client weighs 29/50. The squared direction leaves 11/50 of the product
of gradient and error, which Young divides.
"""

from boundkit.proofs.authoring import *
from boundkit.theorems.mifa_nonconvex_local_steps import THEOREM

h, s = Rational(1, 8), round_of(THEOREM).length
y, p, q = Rational(1, 10), Rational(301, 1000), Rational(83, 150)
weight = Rational(37, 20)
"""At least 1 over what is left of the squared gradient."""

PROOF = Certificate(
    THEOREM,
    charts=(stored_noise_chart(h, Rational(1, 4)),),
    steps=(
        step("descent", STORED_NOISE_DESCENT, h=h, w=Rational(19, 100), weight=weight / s),
        step("errors over clients", JENSEN, of=e, weight=weight * Rational(29, 50)),
        step(
            "error of a client",
            STORED_ERROR_BY_AGE,
            h=h, y=y, p=p, q=q, k=Rational(11, 5), u=Rational(3, 80),
            removes=square(e),
        ),
        step("age of the stored updates", STORED_AGE, h=h, w=Rational(9, 4), removes=square(age)),
        step(
            "direction", SQUARE, of=a.mean, removes=inner(g.mean, e.mean), leaving=weight * Rational(11, 50)
        ),
        error_against_gradient(Rational(11, 38)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)  # fmt: skip
