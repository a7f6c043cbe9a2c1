r"""Relaxed conditions that allow more local steps than the offset: the first round makes up for them.

A certificate of a theorem on steps c/(mu (offset + t)) keeps X <= b + max(a, offset X_0)/(offset + t), X_0 =
||x_0 - x*||^2. After one round the offset is larger by tau, so that a condition offset >= h(tau) with h(tau)
<= tau holds from then on, and the theorem follows from its certificate, started there, where max(a, (offset +
tau) X_1) = a. That needs a bound on X_1, which is one on gradients:

- where another round follows, mu^2 X_1 <= E||grad F(x_1)||^2 <= G^2;
- after one round alone, X_1 <= (11 G/(5 mu))^2, as ||x_0 - x*|| <= G/mu and R = E^{1/2}||y - x_0||^2 <= 6
  G/(5 mu) for local models y: a local step on a client's loss is (1 - eta mu)-Lipschitz, moves x_0 by eta G
  in the root mean square, and has noise of at most G^2, so that R+^2 <= ((1 - eta mu) R + eta G)^2 + eta^2
  G^2, which keeps R below that for eta mu <= 1/4.

Where the condition does not hold, offset < tau, so that a >= 2 (11/5)^2 tau (G/mu)^2 suffices in both cases.
"""

from __future__ import annotations

from sympy import Dummy, Expr, Poly, Rational, simplify

from boundkit.algebra import Theorem
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import G, L, T, distance, mu, offset, tau
from boundkit.attack.mutation.mutant import Mutant
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certified, current_record, proof_named

NEEDED = (
    "smooth",
    "strongly-convex",
    "bounded-gradients",
    "decaying-step",
    "common-local-steps",
    "server-step-one",
)
_FURTHEST = Rational(11, 5)
"""Largest distance from the optimum after a round, over G/mu."""
_LONGEST = Rational(1, 4)
"""Largest eta L at which the bound on the first round is proved."""


def holds_from_second_round(mutant: Mutant) -> bool:
    """Whether a relaxed condition on the offset is proved to be enough."""
    theorem = mutant.original
    if mutant.condition is None or offset not in theorem.quantities:
        return False
    if theorem.claim.name != "last loss gap" or not all(map(theorem.assumes, NEEDED)):
        return False
    fewest = _fewest_steps(theorem, mutant.place)
    most, large = sides(theorem.step_size[mutant.place])
    if fewest is None or large != offset or most.free_symbols != {tau}:
        return False
    drift = _drift_by_gradients(theorem)
    return (
        _is_nonnegative(tau - most, Rational(1))
        and _is_nonnegative(drift - 2 * _FURTHEST**2 * tau, fewest)
        and is_proved_by_induction(theorem)
    )


def _fewest_steps(theorem: Theorem, place: int) -> Expr | None:
    """Return what tau is at least where it is above the offset; None where another condition may fail later.

    The other conditions are offset >= ..., which hold for larger offsets, too, and one of them eta L <= 1/4.
    """
    others = [sides(each) for k, each in enumerate(theorem.step_size) if k != place]
    if any(large != offset or offset in small.free_symbols for small, large in others):
        return None
    if any({offset, T} & each.free_symbols for each in theorem.requires):
        return None
    least = numerator(theorem) / _LONGEST
    steps = [simplify(small * mu / L) for small, _ in others]
    ratio = any((small, large) == (mu, L) for small, large in map(sides, theorem.requires))
    return least + 1 if ratio and any(each.is_Rational and each >= least for each in steps) else None


def _drift_by_gradients(theorem: Theorem) -> Expr:
    """Return a of the client drift over (G/mu)^2; 0 where the terms do not have the form of the induction."""
    span, half, drift = offset + tau * T, L / 2, Rational(0)
    for term in theorem.terms:
        falling = simplify(term.expr * span)
        if distance in term.expr.free_symbols:
            if simplify(falling - half * offset * distance**2) != 0:
                return Rational(0)
        elif {T, offset} & falling.free_symbols and {T, offset} & term.expr.free_symbols:
            return Rational(0)
        elif term.cause == "client drift" and G in term.expr.free_symbols:
            drift = simplify(falling / half * (mu / G) ** 2)
    return drift


def _is_nonnegative(expr: Expr, least: Expr) -> bool:
    """Whether a polynomial of tau alone has no negative coefficient in tau - least."""
    more = Dummy("more")
    if not expr.free_symbols <= {tau} or not expr.is_polynomial(tau):
        return False
    return all(each >= 0 for each in Poly(expr.subs(tau, least + more), more).coeffs())


def is_proved_by_induction(theorem: Theorem) -> bool:
    """Whether a certificate with a contraction is stored as proved for the theorem as it is."""
    if theorem.name not in certified():
        return False
    proof, record = proof_named(theorem.name), current_record(theorem.name)
    if not isinstance(proof, Certificate) or proof.contraction is None or proof.theorem != theorem:
        return False
    return record is not None and record["verdict"] == "proved"
