"""By substitution of the step sizes."""

from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.fedavg_nonconvex_partial import PROOF as BASE
from boundkit.theorems.fedavg_nonconvex_partial_tuned import THEOREM

PROOF = corollary(THEOREM, BASE)
