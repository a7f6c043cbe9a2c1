"""By the steps without momentum: the sequence z takes plain steps, with larger squares of their means."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_partial_sharp import PROOF as PLAIN
from boundkit.theorems.fedavgm_nonconvex_partial import THEOREM, length

s = round_of(THEOREM).length
w = Rational(11, 2)
z = s * L * mean_factor(w)
l = Rational(32, 25) + Rational(19, 50) * z

PROOF = (
    PLAIN.of(THEOREM, charts=(momentum_chart(Rational(1, 8), Rational(1, 24), length),))
    .replaced("descent", step("descent", MOMENTUM_DESCENT, w=w, weight=l / s))
    .changed("error against gradient", {"w": Rational(213, 1000) - Rational(7, 100) * z})
    .replaced("telescoping", step("telescoping", MOMENTUM_TELESCOPING_LOSS, removes=decrease_of_sequence))
)
