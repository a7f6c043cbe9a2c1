"""What the theorem states of itself: its reductions and limits, which a mutant may break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
from sympy import Expr, nan, simplify, sympify, zoo

from boundkit.algebra import BoundkitError, Limit, Quantity, Reduction, Term, Theorem
from boundkit.algebra.printing import plain
from boundkit.algebra.zero_test import vanishes
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.random_points import draws

_BELOW = 1e-9
"""A term this much of the original below 0 is negative, and not rounded."""


def broken(mutant: Mutant, known: Mapping[str, Theorem]) -> tuple[str, str] | None:
    """``("reduction" or "limit", what no longer holds)``; None where everything stated still does.

    Only what holds of the original is asked, and only of the term that was changed. A constant before the
    whole term only changes the factor that a reduction states, so that this is not asked of it; of one inside
    a sum a reduction must hold up to such a factor. A term that falls below 0 breaks the limit that all mean
    and none writes down: a cause adds to the error.
    """
    if mutant.expr is None or (mutant.kind == "constant" and mutant.path is None):
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label]
    new = replace(old, expr=mutant.expr)
    negative = _negative(mutant)
    if negative:
        return "limit", negative
    for limit in theorem.all_limits:
        touched = set(limit.when) & (old.expr.free_symbols | new.expr.free_symbols)
        if limit.holds and touched and not _vanished(limit, new) and _confirmed_limit(theorem, limit):
            return "limit", f"at {_where(limit.when)} its {mutant.label} is no longer as the theorem states"
    for reduction in theorem.reductions:
        if not reduction.holds or reduction.to not in known or not _confirmed(theorem, reduction, known):
            continue
        if mutant.kind == "constant" and _scaled(reduction, old, new):
            continue
        if not _becomes(reduction, new, known[reduction.to]):
            return "reduction", f"at {_where(reduction.when)} it no longer becomes {reduction.to}"
    return None


def _vanished(limit: Limit, term: Term) -> bool:
    only = Limit(limit.when, tuple(x for x in limit.removes if x == term.label))
    try:
        return not only.check({term.label: term})
    except BoundkitError:
        return False


def _becomes(reduction: Reduction, term: Term, other: Theorem) -> bool:
    theirs = other.bound.terms
    try:
        kept = {term.label: theirs[term.label]} if term.label in theirs else {}
        leaves = tuple(x for x in reduction.leaves if x == term.label)
        return not replace(reduction, leaves=leaves).check({term.label: term}, kept)
    except BoundkitError:
        return False


def _scaled(reduction: Reduction, old: Term, new: Term) -> bool:
    """Whether both are the same there but for a factor that is a number."""
    was, now = (e.subs(dict(reduction.when), simultaneous=True) for e in (old.expr, new.expr))
    if was.has(zoo, nan) or now.has(zoo, nan):
        return True  # says nothing of either
    return bool(simplify(now / was).is_number) if not vanishes(was) else vanishes(now)


def _negative(mutant: Mutant) -> str:
    """Where a term that never was below 0 is; empty where nowhere, or where clients decide what can be."""
    theorem, expr = mutant.original, mutant.expr
    assert expr is not None
    derived = {q for each in (theorem.definitions, *theorem.solvers.values()) for q in each}
    touched = (mutant.part.free_symbols if mutant.part is not None else expr.free_symbols) & derived
    if theorem.kind == "lower" or touched:
        return ""
    points = draws(theorem)
    old, new = (evaluate(e, points) for e in (theorem.bound.terms[mutant.label].expr, expr))
    with np.errstate(all="ignore"):
        below = np.atleast_1d(np.isfinite(new) & (new < -_BELOW * np.abs(old)))
    if not below.any() or (old < 0).any():
        return ""
    place = int(np.argmax(below))
    at = {q.name: q for q in sorted(expr.free_symbols, key=str) if isinstance(q, Quantity)}
    said = ", ".join(f"{name} = {points[name][place]:.3g}" for name in at)
    return f"at {said} its {mutant.label} is below 0"


@lru_cache(maxsize=512)
def _confirmed_limit(theorem: Theorem, limit: Limit) -> bool:
    try:
        return not limit.check(theorem.bound.terms)
    except BoundkitError:
        return False


_FOUND: dict[tuple[str, int], bool] = {}


def _confirmed(theorem: Theorem, reduction: Reduction, known: Mapping[str, Theorem]) -> bool:
    """Whether the original's own reduction holds, as sympy finds."""
    key = (theorem.name, id(reduction))
    if key not in _FOUND:
        try:
            _FOUND[key] = not reduction.check(theorem.bound.terms, known[reduction.to].bound.terms)
        except BoundkitError:
            _FOUND[key] = False
    return _FOUND[key]


def _where(when: Mapping[Quantity, Expr | int]) -> str:
    return ", ".join(f"{q} = {plain(sympify(v))}" for q, v in when.items()) or "all values"
