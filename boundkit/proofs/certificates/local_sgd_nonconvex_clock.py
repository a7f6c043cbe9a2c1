"""By substitution of the number of rounds that fit into the time."""

from boundkit.algebra.notation import T, delay, step_time, tau, wall
from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.local_sgd_nonconvex import PROOF as BASE
from boundkit.theorems.local_sgd_nonconvex_clock import THEOREM

PROOF = corollary(THEOREM, BASE, {T: wall / (tau * step_time + delay)})
