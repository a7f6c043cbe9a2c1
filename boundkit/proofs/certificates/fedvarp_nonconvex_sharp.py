"""By the proof of the sharper constants."""

from boundkit.proofs.certificates.fedvarp_nonconvex_sharper import PROOF as SHARPER
from boundkit.theorems.fedvarp_nonconvex_sharp import THEOREM

PROOF = SHARPER.of(THEOREM)
