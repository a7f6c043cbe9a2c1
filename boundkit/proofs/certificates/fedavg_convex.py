"""By the proof of the sharper drift."""

from boundkit.proofs.certificates.fedavg_convex_sharp import PROOF as SHARP
from boundkit.theorems.fedavg_convex import THEOREM

PROOF = SHARP.of(THEOREM)
