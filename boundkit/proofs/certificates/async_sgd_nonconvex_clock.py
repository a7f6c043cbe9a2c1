"""By substitution of the number of updates that fit into the time."""

from boundkit.algebra.notation import T, delay, m, step_time, wall
from boundkit.proofs.authoring import corollary
from boundkit.proofs.certificates.async_sgd_nonconvex import PROOF as BASE
from boundkit.theorems.async_sgd_nonconvex_clock import THEOREM

PROOF = corollary(THEOREM, BASE, {T: m * wall / (step_time + delay)})
