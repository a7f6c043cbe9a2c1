"""By substitution of the step sizes, into the paper's constants; and into smaller ones of the same steps."""

from dataclasses import replace

from sympy import Rational

from boundkit.proofs.certificates.fedvarp_nonconvex import PROOF as PAPER
from boundkit.proofs.certificates.fedvarp_nonconvex import VARIANTS as SMALLER
from boundkit.proofs.corollaries import corollary
from boundkit.theorems.fedvarp_nonconvex_tuned import THEOREM

_SHARES = {
    "initial gap": Rational(11, 8) / 4,
    "stochastic noise": Rational(4) / 40,
    "noise drift": Rational(9, 4) / 24,
    "client drift": Rational(9, 8) / 96,
    "start-up of stored updates": Rational(11, 4) / 32,
}
_TERMS = tuple(
    replace(term, expr=_SHARES[term.label] * term.expr)
    for term in PAPER.theorem.terms
    if term.label in _SHARES
)

PROOF = corollary(THEOREM, PAPER)
VARIANTS = tuple(
    corollary(THEOREM, each.of(replace(PAPER.theorem, terms=_TERMS, reductions=(), limits=())))
    for each in SMALLER
)
