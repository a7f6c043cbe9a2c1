"""By substitution of the step sizes, into the paper's constants; and into smaller ones of other proofs."""

from dataclasses import replace

from sympy import Rational

from boundkit.algebra.authoring import at_most
from boundkit.algebra.notation import C, L, eta, eta_s, m, tau
from boundkit.proofs.certificates.fedvarp_nonconvex import PROOF as PAPER
from boundkit.proofs.certificates.fedvarp_nonconvex import VARIANTS as OTHERS
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

_FEWER = tuple(
    replace(term, expr=(1 - C) * term.expr) if term.label == "start-up of stored updates" else term
    for term in PAPER.theorem.terms
)

PROOF = corollary(THEOREM, PAPER)
_LONGER = (
    (
        at_most(eta, Rational(8, 25) / (L * tau)),
        at_most(eta_s * eta, (C * m) ** Rational(3, 2) / (8 * L * tau * m)),
        at_most(eta_s * eta, 1 / (2 * L * tau)),
    ),
    (
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, (C * m) ** Rational(3, 2) / (4 * L * tau * m)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
    ),
)
"""Conditions that the other charts of the base cover."""
_SMALLER, _FIRST, *_WIDER = OTHERS
VARIANTS = (
    *(
        corollary(THEOREM, each.of(replace(PAPER.theorem, terms=terms, reductions=(), limits=())))
        for each, terms in ((_SMALLER, _TERMS), (_FIRST, _FEWER))
    ),
    *(
        corollary(THEOREM, each.of(replace(PAPER.theorem, step_size=steps)))
        for each, steps in zip(_WIDER, _LONGER, strict=True)
    ),
)
