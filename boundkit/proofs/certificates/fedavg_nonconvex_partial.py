"""The published constants, by the proof of the sharper ones."""

from boundkit.proofs.certificates.fedavg_nonconvex_partial_sharp import PROOF as SHARP
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM

PROOF = SHARP.of(THEOREM)
