"""By the steps of scaffold_nonconvex, for the differences of controls, which alone act with all clients.

The descent weighs (3/2)/s, the age and the error of the corrections (7/9) (eta L (tau - 1))^2.
"""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex import PROOF as BASE
from boundkit.proofs.certificates.scaffold_nonconvex import b, h, s
from boundkit.theorems.scaffold_nonconvex_sharp import THEOREM

PROOF = (
    BASE.of(THEOREM)
    .changed("descent", weight=3 / (2 * s))
    .changed("age of the controls", weight=7 * b**2 * L**2 / 9)
    .changed("controls", lemma=CORRECTION_ERROR, weight=7 * b**2 / 9)
    .changed("error against gradient", {"w": Rational(3, 11)})
    .replaced("error of a client", error_of_a_client(h, Rational(1, 27), Rational(7, 25), Rational(29, 50)))
    .replaced(
        "telescoping of the controls",
        step("telescoping of the controls", TELESCOPING_CORRECTION_ERROR, removes=next_correction_error),
    )
    .without("mean of the controls")
    .replaced(
        "controls by error and age",
        step("corrections by error and age", CORRECTION_AND_AGE, w=1, removes=inner(g, y)),
        step("corrections improve", SQUARE, of=q - q.mean, removes=square(q.mean)),
    )
)
