"""Reductions of a theorem to catalogued ones: check the stated ones, suggest further ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from sympy import Expr, Integer, Rational, sympify

from boundkit.algebra import Quantity, Reduction, Theorem
from boundkit.algebra.notation import C, availability, eta_s, kappa, sigma, sigma_g, sigma_star, tau
from boundkit.algebra.printing import plain
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.evaluate import Array, evaluate
from boundkit.analysis.reductions import as_code, condition, reduction_graph

SPECIAL: Mapping[Quantity, int] = {
    tau: 1, C: 1, eta_s: 1, availability: 1, sigma: 0, sigma_g: 0, kappa: 0, sigma_star: 0,
}  # fmt: skip
"""Special values of quantities at which theorems reduce to simpler ones."""
MOST_CONDITIONS, POINTS, MOST = 3, 3, 4
_TOLERANCE = 1e-9

When = dict[Quantity, Expr | int]


@dataclass(frozen=True)
class CheckedReduction:
    """A reduction to the theorem ``to`` under ``when``, with ``factors`` by term and ``leaves`` left over.

    ``objection``: why a stated reduction is false. ``holds``: False where the theorem states that a plausible
    reduction does not hold. ``code``: the reduction as a theorem's file writes it.
    """

    to: str
    when: str
    factors: Mapping[str, str]
    leaves: tuple[str, ...]
    stated: bool
    code: str
    holds: bool = True
    objection: str = ""

    def to_text(self) -> str:
        """Return the reduction as one sentence."""
        at = f"at {self.when}" if self.when else "everywhere"
        if not self.holds:
            return f"{at} it is not {self.to}, as stated" + (
                f": but {self.objection}" if self.objection else ""
            )
        times = ", ".join(f"{factor} times the {label}" for label, factor in self.factors.items())
        left = f", with the {' and the '.join(self.leaves)} left over" if self.leaves else ""
        sentence = f"{at} it is {self.to}{' with ' + times if times else ''}{left}"
        return f"{sentence}: FALSE, {self.objection}" if self.objection else sentence


def check_stated(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> list[CheckedReduction]:
    """Check the reductions that the theorem states, by sympy."""
    theirs = {r.to: catalogue[r.to] for r in theorem.reductions if r.to in catalogue}
    about = [r for r in theorem.reductions if r.to in theirs]
    unknown = [
        _checked(r, True, f"there is no theorem {r.to}") for r in theorem.reductions if r.to not in theirs
    ]
    if not about:
        return unknown
    bare = {name: replace(t, reductions=()) for name, t in theirs.items()}
    graph = reduction_graph({**bare, theorem.name: replace(theorem, reductions=tuple(about))})
    edges = [e for e in graph.edges if e.origin == theorem.name]
    return [_checked(e.reduction, True, e.objection) for e in edges] + unknown


def suggest_reductions(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> list[CheckedReduction]:
    """Find theorems of the same claim to which it reduces, up to constants, without stating so.

    Candidates are selected by numerical evaluation, and sympy confirms their constants. Each is given under
    its weakest conditions, at most four in all, without those that a stated reduction implies.
    """
    ours = homogeneous_form(theorem)
    implied = [_key(r.when) for r in theorem.reductions if r.holds]
    candidates: list[tuple[int, int, str, When, dict[str, float]]] = []
    for name, other in catalogue.items():
        if name == theorem.name or other.claim != theorem.claim or other.kind in ("order", "lower"):
            continue
        theirs = homogeneous_form(other)
        least: list[frozenset[Quantity]] = []
        for when in _conditions(ours):
            if any(smaller <= set(when) for smaller in least) or any(s <= _key(when) for s in implied):
                continue
            constants = _constant_ratios(ours, theirs, when)
            if constants is not None:
                least.append(frozenset(when))
                differing = sum(number != 1 for number in constants.values())
                candidates.append((len(when), differing, name, when, constants))
    suggestions: list[CheckedReduction] = []
    for *_, name, when, constants in sorted(candidates, key=lambda one: one[:3]):
        if len(suggestions) == MOST:
            break
        reduction = _exact_reduction(ours, homogeneous_form(catalogue[name]), when, constants)
        if reduction is not None:
            suggestions.append(_checked(reduction, False))
    return suggestions


def find_vanishing_terms(theorem: Theorem) -> dict[str, tuple[str, ...]]:
    """Return the terms that vanish where one quantity takes a special value, by that condition."""
    return {condition(limit.when): limit.removes for limit in homogeneous_form(theorem).computed_limits}


def _conditions(theorem: Theorem) -> Iterator[When]:
    """Yield the empty condition, then all combinations of special values of the bound's quantities."""
    special = [q for q in SPECIAL if any(q in t.expr.free_symbols for t in theorem.terms)]
    for count in range(MOST_CONDITIONS + 1):
        for chosen in combinations(special, count):
            yield {q: SPECIAL[q] for q in chosen}


def _constant_ratios(ours: Theorem, theirs: Theorem, when: When) -> dict[str, float] | None:
    """Compute the constant ratios of our terms to theirs at random points; None where one is not constant."""
    values = _points(ours, theirs) | {q.name: np.full(POINTS, float(v)) for q, v in when.items()}
    constants = {}
    for label in {**ours.bound.terms, **theirs.bound.terms}:
        mine, other = (_values(t, label, values) for t in (ours, theirs))
        if not mine.any() and not other.any():
            continue
        with np.errstate(all="ignore"):
            ratio = mine / other
        if not np.isfinite(ratio).all() or ratio[0] == 0 or np.ptp(ratio) > _TOLERANCE * abs(ratio[0]):
            return None
        constants[label] = round(float(ratio[0]), 9)
    return constants


def _points(*theorems: Theorem) -> dict[str, Array]:
    rng = np.random.default_rng(0)
    quantities = {q.name: q for t in theorems for q in t.quantities}
    points = {}
    for name, quantity in sorted(quantities.items()):
        low, high = quantity.domain.lower, quantity.domain.upper
        if np.isfinite(high):
            points[name] = low + (high - low) * rng.uniform(0.1, 0.9, POINTS)
        else:
            points[name] = low + np.exp(rng.normal(0.5, 0.5, POINTS))
    return points


def _values(theorem: Theorem, label: str, values: Mapping[str, Array]) -> Array:
    if label not in theorem.bound.terms:
        return np.zeros(POINTS)
    term = evaluate(theorem.bound.terms[label].expr, values)
    return np.where(np.abs(np.broadcast_to(term, POINTS)) < 1e-14, 0.0, term)


def _exact_reduction(
    ours: Theorem, theirs: Theorem, when: When, constants: Mapping[str, float]
) -> Reduction | None:
    """Return the reduction with rational constants where sympy confirms it."""
    exact = {label: Rational(number).limit_denominator(10**5) for label, number in constants.items()}
    factors = {label: factor for label, factor in exact.items() if factor != 1}
    reduction = Reduction(theirs.name, when, factors)
    return None if reduction.check(ours.bound.terms, theirs.bound.terms) else reduction


def _key(when: Mapping[Quantity, Expr | int]) -> frozenset[tuple[str, Expr]]:
    return frozenset((q.name, sympify(v)) for q, v in when.items())


def _checked(reduction: Reduction, stated: bool, objection: str = "") -> CheckedReduction:
    when = condition(reduction.when) if reduction.when else ""
    factors = {n: plain(sympify(f)) for n, f in reduction.factors.items() if sympify(f) != Integer(1)}
    code = as_code(reduction)
    return CheckedReduction(
        reduction.to, when, factors, reduction.leaves, stated, code, reduction.holds, objection
    )
