"""By the proof of the sharper constants."""

from boundkit.proofs.certificates.clusterfedvarp_nonconvex_sharper import PROOF as SHARPER
from boundkit.theorems.clusterfedvarp_nonconvex_sharp import THEOREM

PROOF = SHARPER.of(THEOREM)
