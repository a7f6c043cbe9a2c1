"""By the steps for homogeneous clients: the client that is drawn adds to the variance of a gradient."""

from boundkit.proofs.certificates.async_sgd_nonconvex import PROOF as HOMOGENEOUS
from boundkit.theorems.async_sgd_heterogeneous_nonconvex import THEOREM

PROOF = HOMOGENEOUS.of(THEOREM)
