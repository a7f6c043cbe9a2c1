"""By substitution of the step sizes."""

from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.fedvarp_nonconvex import PROOF as BASE
from boundkit.theorems.fedvarp_nonconvex_tuned import THEOREM

PROOF = corollary(THEOREM, BASE)
