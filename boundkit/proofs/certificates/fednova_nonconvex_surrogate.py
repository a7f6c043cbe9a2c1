"""By the steps with the sharper constants, as B and C bound all walks."""

from boundkit.algebra.notation import C_drift
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SHARP
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM

PROOF = SHARP.of(THEOREM, charts=(solvers_chart(C_drift),))
