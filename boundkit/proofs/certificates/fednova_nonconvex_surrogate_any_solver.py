"""By the proof of the sharper constants."""

from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SHARP
from boundkit.theorems.fednova_nonconvex_surrogate_any_solver import THEOREM

PROOF = SHARP.of(THEOREM)
