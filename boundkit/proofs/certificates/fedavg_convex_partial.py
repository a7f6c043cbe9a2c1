"""By the proof of the sharper constants."""

from boundkit.proofs.certificates.fedavg_convex_partial_sharp import PROOF as SHARP
from boundkit.theorems.fedavg_convex_partial import THEOREM

PROOF = SHARP.of(THEOREM)
