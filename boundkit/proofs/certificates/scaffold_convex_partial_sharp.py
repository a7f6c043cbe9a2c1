"""SCAFFOLD on smooth convex losses: the published theorem's proof at steps nine times as long."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_convex_partial import proof_of
from boundkit.theorems.scaffold_convex_partial_sharp import THEOREM

PROOF = proof_of(THEOREM, large_server_chart(Rational(1, 9)), 5)
