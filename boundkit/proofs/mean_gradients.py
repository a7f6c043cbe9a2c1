"""Lemmas on FedLin: local steps along grad F_i(y) - grad F_i(x) + g, g the mean gradient at x.

The mean direction of the clients is a = g - e; all gradients are full.
"""

from __future__ import annotations

from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, inner, square
from boundkit.proofs.rounds import LINEARISED, AlgorithmRound, a, decrease, e, g


def _descent(this: AlgorithmRound) -> Conclusion:
    s = this.length
    form = LinearForm({decrease: 1}) - s * inner(g.mean, a.mean) + L * s**2 / 2 * square(a.mean)
    return Conclusion(form, (Inequality(s, "s > 0", strict=True),))


def _error(_: AlgorithmRound) -> Conclusion:
    share = (eta * L * (tau - 1) / 2) ** 2
    return Conclusion(share * square(g.mean) - square(e.mean), (Inequality(2 - eta * L, "eta L <= 2"),))


_LINEARISED = ("smooth", "no-noise", "full-participation", "common-local-steps")

MEAN_GRADIENT_DESCENT = Lemma(
    "descent along corrected steps",
    "F(x+) <= F(x) - s <g, a> + (L s^2/2) ||a||^2, a = g - e",
    "the descent lemma for $x+ = x - s a$",
    _LINEARISED,
    _descent,
    kinds=(LINEARISED,),
)
MEAN_GRADIENT_ERROR = Lemma(
    "error of corrected steps",
    "||e||^2 <= (eta L (tau - 1)/2)^2 ||g||^2 for eta L <= 2",
    "a gradient step on a convex loss is 1-Lipschitz; a local step is that from $y$ less that from $x$, plus "
    "$-eta g$, so that $||y_k - x|| <= eta k ||g||$; $||e|| <= L$ times the mean of that over $k < tau$",
    (*_LINEARISED, ("convex", "strongly-convex")),
    _error,
    kinds=(LINEARISED,),
)
