"""By the steps with the sharper constants, as B and C bound all walks; a variant has the smallest gap."""

from boundkit.algebra.notation import C_drift, L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SHARP
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM

s = round_of(THEOREM).length
c = s * L

PROOF = SHARP.of(THEOREM, charts=(solvers_chart(C_drift),))

SMALLEST_GAP = PROOF.changed("descent", weight=2 / s).changed(
    "error against gradient", {"w": (Rational(29, 80) - c / 2) / (1 - c)}
)

VARIANTS = (SMALLEST_GAP,)
