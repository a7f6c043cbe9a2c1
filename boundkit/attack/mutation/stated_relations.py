"""Reductions and limits that a theorem states, and that a mutant may violate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
from sympy import Add, Expr, Pow, S, log, nan, simplify, zoo

from boundkit.algebra import BoundkitError, Limit, Quantity, Reduction, Term, Theorem
from boundkit.algebra.reduction import vanishes
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.reductions.graph import condition
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.random_points import Points, draw_points

_BELOW = 1e-9
"""A term below minus this fraction of the original is negative beyond rounding."""


def find_violated_relation(mutant: Mutant, catalogue: Mapping[str, Theorem]) -> tuple[str, str] | None:
    """Return ``("reduction" or "limit", the violated relation)``; None where all stated relations hold.

    Only relations that hold of the original are tested, and only on the changed term. A constant factor of
    the whole term only changes the factor of a reduction and is not tested; with one inside a sum a reduction
    must hold up to such a factor. A negative term violates the implicit limit that a cause adds to the error.
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
            return "limit", f"at {condition(limit.when)} its {mutant.label} is not as the theorem states"
    for reduction in theorem.reductions:
        if (
            not reduction.holds
            or reduction.to not in catalogue
            or not _confirmed(theorem, reduction, catalogue)
        ):
            continue
        if mutant.kind == "constant" and _scaled(reduction, old, new):
            continue
        if not _becomes(reduction, new, catalogue[reduction.to]):
            return "reduction", f"at {condition(reduction.when)} it does not become {reduction.to}"
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
        stored = {term.label: theirs[term.label]} if term.label in theirs else {}
        leaves = tuple(x for x in reduction.leaves if x == term.label)
        return not replace(reduction, leaves=leaves).check({term.label: term}, stored)
    except BoundkitError:
        return False


def _scaled(reduction: Reduction, old: Term, new: Term) -> bool:
    """Check whether both terms agree there up to a numeric factor."""
    was, now = (e.subs(dict(reduction.when), simultaneous=True) for e in (old.expr, new.expr))
    if was.has(zoo, nan) or now.has(zoo, nan):
        return True  # says nothing of either
    return bool(simplify(now / was).is_number) if not vanishes(was) else vanishes(now)


def find_undefined(mutant: Mutant) -> str:
    """Return where a term has a root or a logarithm of a negative number; empty where nowhere known.

    A mutant that is not a real number inside its own conditions is no theorem. Points at which a base is
    negative by rounding do not count, and neither do quantities that clients decide.
    """
    theorem, expr = mutant.original, mutant.expr
    if expr is None or _touches_derived(mutant):
        return ""
    old = theorem.bound.terms[mutant.label].expr
    points = draw_points(theorem)
    size = len(next(iter(points.values())))
    for part in sorted(expr.atoms(Pow, log) - old.atoms(Pow, log), key=str):
        base, power = (part.args[0], S.Half) if isinstance(part, log) else part.args
        if power.is_integer:
            continue
        with np.errstate(all="ignore"):
            value, scale, exponent = (
                np.broadcast_to(evaluate(e, points), (size,))
                for e in (base, Add(*(abs(x) for x in Add.make_args(base))), power)
            )
            below = (value < -_BELOW * scale) & (np.abs(exponent - np.round(exponent)) > _BELOW)
            below = below & np.isfinite(np.broadcast_to(evaluate(old, points), (size,)))
        if below.any():
            return f"at {_point(expr, points, int(np.argmax(below)))} its {mutant.label} is not a real number"
    return ""


def _touches_derived(mutant: Mutant) -> bool:
    """Whether the change has quantities that derive from the clients, which random points do not respect."""
    assert mutant.expr is not None
    theorem = mutant.original
    derived = {q for each in (theorem.definitions, *theorem.solvers.values()) for q in each}
    return bool((mutant.part if mutant.part is not None else mutant.expr).free_symbols & derived)


def _point(expr: Expr, points: Points, place: int) -> str:
    names = [q.name for q in sorted(expr.free_symbols, key=str) if isinstance(q, Quantity)]
    return ", ".join(f"{name} = {points[name][place]:.3g}" for name in names)


def _negative(mutant: Mutant) -> str:
    """Return where a term that was nonnegative is negative; empty where nowhere, or where clients decide."""
    theorem, expr = mutant.original, mutant.expr
    assert expr is not None
    if theorem.kind == "lower" or _touches_derived(mutant):
        return ""
    points = draw_points(theorem)
    old, new = (evaluate(e, points) for e in (theorem.bound.terms[mutant.label].expr, expr))
    with np.errstate(all="ignore"):
        below = np.atleast_1d(np.isfinite(new) & (new < -_BELOW * np.abs(old)))
    if not below.any() or (old < 0).any():
        return ""
    return f"at {_point(expr, points, int(np.argmax(below)))} its {mutant.label} is below 0"


@lru_cache(maxsize=512)
def _confirmed_limit(theorem: Theorem, limit: Limit) -> bool:
    try:
        return not limit.check(theorem.bound.terms)
    except BoundkitError:
        return False


_CONFIRMED: dict[tuple[str, int], bool] = {}


def _confirmed(theorem: Theorem, reduction: Reduction, catalogue: Mapping[str, Theorem]) -> bool:
    """Check whether the original's own reduction holds."""
    key = (theorem.name, id(reduction))
    if key not in _CONFIRMED:
        try:
            _CONFIRMED[key] = not reduction.check(theorem.bound.terms, catalogue[reduction.to].bound.terms)
        except BoundkitError:
            _CONFIRMED[key] = False
    return _CONFIRMED[key]
