"""By the steps for rounds of one length, which are weighted by their lengths."""

from boundkit.algebra.notation import tau, tau_max
from boundkit.proofs.authoring import VaryingRounds
from boundkit.proofs.certificates.local_sgd_nonconvex import PROOF as BASE
from boundkit.theorems.adacomm_nonconvex import THEOREM

PROOF = VaryingRounds(THEOREM, BASE, length=tau, varying=(), largest={tau: tau_max})
