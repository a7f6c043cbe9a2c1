"""SCAFFOLD on smooth strongly convex losses: the published theorem's proof, with its whole contraction."""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_convex_partial import s
from boundkit.proofs.certificates.scaffold_strongly_convex_partial import proof_of
from boundkit.theorems.scaffold_strongly_convex_partial_sharp import THEOREM

PROOF = proof_of(THEOREM, large_server_chart(Rational(1, 9), least=15), 5, mu * s, Rational(15, 14))
