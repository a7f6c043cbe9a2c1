"""By substitution of the step sizes."""

from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.fedavg_nonconvex_partial_long_steps import PROOF as BASE
from boundkit.theorems.fedavg_nonconvex_partial_long_steps_tuned import THEOREM

PROOF = corollary(THEOREM, BASE)
