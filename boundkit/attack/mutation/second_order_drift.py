r"""Client drift with steps 2/(mu s), s = offset + t: it falls as 1/s^2, so that other forms of it are true.

Where a certificate adds q <= Q eta^3 L (tau - 1)^2 G^2 to X+ <= (1 - eta mu B) X + ..., 2 B > 2, for the
drift, this part of X is at most K/s^2 with K = 8 Q L (tau - 1)^2 G^2/(mu^3 (2 B - 2)), by (1 - 2 B/s)/s^2 +
(2 B - 2)/s^3 = 1/s^2 - 2/s^3 <= 1/(s + 1)^2. So (L/2) K/s^2 = A (L/mu) u may replace the term, with
u = L G^2/mu^2.

The loss gap is also at most that at the last round's start, at most G^2/(2 mu), plus G R + L R^2/2, where R
bounds the way of the round: with s >= 8 and s >= tau - 1 at its start, R <= (13/4) tau G/(mu s) at its end s.
That is (mu/L) P u + W u with P = 1/2 + (13/4) tau/s and W = (169/32) (tau/s)^2.

A term M u is at least one of both if A y <= M and P/y + W <= M for some y: L/mu is at most y or at least y.
With y = M/A that is M^2 >= W M + A P, for tau >= 2, all T, offset >= 8 and offset >= tau - 1.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import QQ, Expr, Rational, Symbol, simplify, together
from sympy import field as rational_functions

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import G, L, T, eta, mu, offset, tau
from boundkit.attack.mutation.first_round import NEEDED, is_proved_by_induction
from boundkit.attack.mutation.mutant import Mutant
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import proof_named
from boundkit.proofs.checker import CaseCheck, conclusion_of
from boundkit.proofs.linear_form import data
from boundkit.proofs.rounds import round_of
from boundkit.proofs.scalar_inequalities import Interval, prove

_LARGEST = Rational(11, 3)
"""Q, just above (1 + 2 eta L) b^2 for eta L <= 1/4 and b = 1 + tau/(2 offset)."""
_LEAST_OFFSET = 8
_d, _t, _k = (Symbol(name) for name in ("d", "t", "k"))


def has_drift_of_second_order(mutant: Mutant) -> bool:
    """Whether a changed client drift is proved by the certificate's, or by the loss at the round's start."""
    theorem = mutant.original
    if mutant.expr is None or theorem.claim.name != "last loss gap" or theorem.rules:
        return False
    if not all(map(theorem.assumes, NEEDED)) or numerator(theorem) != 2 or not _has_large_offset(theorem):
        return False
    if [each.label for each in theorem.terms if each.expr.has(G)] != [mutant.label]:
        return False
    scaled = simplify(mutant.expr * mu**2 / (L * G**2))
    if not scaled.free_symbols <= {tau, T, offset} or not is_proved_by_induction(theorem):
        return False
    try:
        contraction = _contraction(theorem, _LARGEST)
        return contraction is not None and _is_large_enough(scaled, contraction)
    except (BoundkitError, ValueError, TypeError, ZeroDivisionError):
        return False


def _has_large_offset(theorem: Theorem) -> bool:
    """Whether the conditions imply offset >= 8 and offset >= tau - 1."""
    small = [simplify(least) for least, large in map(sides, theorem.step_size) if large == offset]
    curved = [simplify(least * mu / L) for least in small]
    return (
        any(each in (tau, tau - 1) for each in small)
        and any(each.is_Rational and each >= _LEAST_OFFSET for each in curved)
        and any((small, large) == (mu, L) for small, large in map(sides, theorem.requires))
    )


@lru_cache(maxsize=8)
def _contraction(theorem: Theorem, largest: Rational) -> Expr | None:
    """Return B of the theorem's certificate where it adds at most Q eta^3 L (tau - 1)^2 G^2; else None."""
    proof = proof_named(theorem.name)
    assert isinstance(proof, Certificate)
    assert proof.contraction is not None
    share = simplify(proof.contraction / (eta * mu))
    if not share.is_Rational or share <= 1:
        return None
    this = round_of(theorem)
    conclusions = [conclusion_of(this, each) for each in proof.steps]
    for chart in proof.charts:
        case = CaseCheck(proof, this, conclusions, chart)
        most = case.domain.element(largest * eta**3 * L * (tau - 1) ** 2)
        added = case.last_line().get(data(G**2), case.domain.field.zero)
        if case.domain.decide(most - added, "second order").decision.status != "proved":
            return None
    return share


def _is_large_enough(scaled: Expr, share: Expr) -> bool:
    """Whether M^2 >= W M + A P for tau >= 2, and M >= 0 for tau = 1, where there is no drift."""
    span = offset + tau * T
    A = 4 * _LARGEST / (2 * share - 2) * (tau - 1) ** 2 / span**2
    P = Rational(1, 2) + Rational(13, 4) * tau / span
    W = Rational(169, 32) * (tau / span) ** 2
    return _is_nonnegative(scaled, 0) and _is_nonnegative(scaled**2 - W * scaled - A * P, 1 + _d)


def _is_nonnegative(expr: Expr, further: Expr | int) -> bool:
    """Whether an expression is proved to be >= 0 for tau = 1 + ``further``, d >= 0, T and offset."""
    values = {tau: 1 + further, T: 1 + _t, offset: further + _k}
    functions = rational_functions([_d, _t, _k], QQ)[0]
    large = functions.from_expr(further + _k - _LEAST_OFFSET).numer
    box = {each: Interval.of(0) for each in (_d, _t, _k)}
    inside = functions.from_expr(together(expr.subs(values)))
    return prove(inside, box, [large]).status == "proved"
