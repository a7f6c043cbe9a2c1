"""By the proof of fedvarp_nonconvex_repaired, whose noise costs less than its statement says."""

from boundkit.proofs.certificates.fedvarp_nonconvex_repaired import PROOF as REPAIRED
from boundkit.theorems.fedvarp_nonconvex import THEOREM

PROOF = REPAIRED.of(THEOREM)
