"""MIFA with noise and local steps: a noise is charged when it is new, and the descent pays for old models."""

from boundkit.proofs.authoring import *
from boundkit.theorems.mifa_nonconvex_local_steps import THEOREM

h, s = Rational(1, 8), round_of(THEOREM).length
y, p, q = Rational(1, 20), Rational(5, 16), Rational(5, 8)
weight = Rational(768, 379)
"""1 over what is left of the squared gradient, 1/2 - 5/768."""

PROOF = Certificate(
    THEOREM,
    charts=(stored_noise_chart(h, Rational(1, 4), THEOREM.step_size[2].gts - THEOREM.step_size[2].lts),),
    steps=(
        step("descent", STORED_NOISE_DESCENT, h=h, w=Rational(6, 25), weight=weight / s),
        step("errors over clients", JENSEN, of=e, weight=weight / 2),
        step(
            "error of a client",
            STORED_ERROR_BY_AGE,
            h=h, y=y, p=p, q=q, k=1, u=Rational(1, 3),
            removes=square(e),
        ),
        step("age of the stored updates", STORED_AGE, h=h, removes=square(age)),
        step("direction", SQUARE, of=a.mean, removes=inner(g.mean, e.mean)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)  # fmt: skip
