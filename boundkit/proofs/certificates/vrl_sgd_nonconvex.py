"""By the steps of scaffold_nonconvex_sharp, with a server step of 1 and smaller steps."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex import b, h
from boundkit.proofs.certificates.scaffold_nonconvex_sharp import PROOF as SCAFFOLD
from boundkit.theorems.vrl_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

l = Rational(139, 100)

PROOF = (
    SCAFFOLD.of(THEOREM, charts=(inverse_steps_chart(h),))
    .changed("descent", weight=l / s)
    .changed("age of the controls", weight=10 * b**2 * L**2)
    .changed("controls", weight=4 * b**2 / 9)
    .changed("error against gradient", {"w": Rational(6, 25)})
    .replaced("error of a client", error_of_a_client(h, Rational(1, 20), Rational(57, 200), Rational(9, 16)))
    .changed("corrections by error and age", {"w": 22})
)
