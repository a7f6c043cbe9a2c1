"""By the proof of the sharper constants."""

from boundkit.proofs.certificates.fedavg_nonconvex_sharp import PROOF as SHARP
from boundkit.theorems.fedavg_nonconvex import THEOREM

PROOF = SHARP.of(THEOREM)
