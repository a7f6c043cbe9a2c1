"""By the steps of scaffold_nonconvex, for the differences of controls, which alone act with all clients.

The descent weighs (73/50)/s, the error of the corrections (12/25) (eta L (tau - 1))^2, and the age, which is
short, more than ten times as much.
"""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex import PROOF as BASE
from boundkit.proofs.certificates.scaffold_nonconvex import b, h, s
from boundkit.theorems.scaffold_nonconvex_sharp import THEOREM

PROOF = (
    BASE.of(THEOREM)
    .changed("descent", weight=73 / (50 * s))
    .changed("age of the controls", weight=6 * b**2 * L**2)
    .changed("controls", lemma=CORRECTION_ERROR, weight=12 * b**2 / 25)
    .changed("error against gradient", {"w": Rational(6, 25)})
    .replaced("error of a client", error_of_a_client(h, Rational(1, 20), Rational(57, 200), Rational(9, 16)))
    .replaced(
        "telescoping of the controls",
        step("telescoping of the controls", TELESCOPING_CORRECTION_ERROR, removes=next_correction_error),
    )
    .without("mean of the controls")
    .replaced(
        "controls by error and age",
        step("corrections by error and age", CORRECTION_AND_AGE, w=12, removes=inner(g, y)),
        step("corrections improve", SQUARE, of=q - q.mean, removes=square(q.mean)),
    )
)
