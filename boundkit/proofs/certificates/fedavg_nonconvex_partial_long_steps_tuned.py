"""By substitution of the step sizes, also into a bound whose noise grows with tau, and covers its drift."""

from dataclasses import replace

from boundkit.algebra.notation import C, L, eta, eta_s, m, sigma, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_partial_long_steps import PROOF as BASE
from boundkit.theorems.fedavg_nonconvex_partial_long_steps_tuned import THEOREM

_SHORT_ROUNDS = {
    "stochastic noise": (Rational(27, 25) + Rational(1, 2) * (tau - 1) / tau)
    * (eta_s * eta * L * sigma**2 / (C * m)),
    "noise drift": Rational(13, 20) * eta**2 * L**2 * (tau - 1) ** 2 / tau * sigma**2,
}
_LESS_NOISE = replace(
    BASE.theorem,
    terms=tuple(replace(term, expr=_SHORT_ROUNDS.get(term.label, term.expr)) for term in BASE.theorem.terms),
    reductions=(),
    limits=(),
)

PROOF = corollary(THEOREM, BASE)
VARIANTS = (
    corollary(
        THEOREM,
        BASE.of(_LESS_NOISE).changed(
            "error of a client", {"q": Rational(14, 25), "shared": True, "whole": True}
        ),
    ),
)
