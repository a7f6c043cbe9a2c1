"""By the steps of scaffold_nonconvex_sharp, with a server step of 1 and longer local ones."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex_sharp import PROOF as SCAFFOLD
from boundkit.proofs.certificates.scaffold_nonconvex_sharp import with_numbers
from boundkit.theorems.vrl_sgd_nonconvex import THEOREM

h = Rational(1, 5)

PROOF = with_numbers(
    SCAFFOLD.of(THEOREM, charts=(inverse_steps_chart(h),)),
    Rational(7, 5),
    Rational(1, 2),
    14,
    Rational(1, 2),
    h,
    Rational(2, 25),
    Rational(39, 125),
    Rational(17, 25),
)
