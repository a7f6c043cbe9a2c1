"""By substitution of the step sizes."""

from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.fedavg_nonconvex import PROOF as BASE
from boundkit.theorems.fedavg_nonconvex_tuned import THEOREM

PROOF = corollary(THEOREM, BASE)
