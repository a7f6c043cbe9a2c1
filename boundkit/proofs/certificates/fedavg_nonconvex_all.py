"""By the steps for fixed weights, all of which are 1."""

from boundkit.algebra.notation import L, availability, m, pull
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedau_nonconvex import PROOF as WEIGHTED
from boundkit.proofs.certificates.fedau_nonconvex import k, s
from boundkit.theorems.fedavg_nonconvex_all import THEOREM

absence = (1 - availability) / (m * pull)

PROOF = WEIGHTED.of(THEOREM, charts=(available_chart(absence, availability),)).changed(
    "directions of the clients", weight=k / 2 * s * L * absence
)
