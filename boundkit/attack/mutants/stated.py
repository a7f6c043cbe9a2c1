"""What the theorem states of itself: its reductions and limits, which a mutant may break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from sympy import Expr, sympify

from boundkit.algebra import BoundkitError, Limit, Quantity, Reduction, Term, Theorem
from boundkit.algebra.printing import plain
from boundkit.attack.mutants.mutant import Mutant


def broken(mutant: Mutant, known: Mapping[str, Theorem]) -> tuple[str, str] | None:
    """``("reduction" or "limit", what no longer holds)``; None where everything stated still does.

    Only what holds of the original is asked, and only of the term that was changed. Another constant only
    changes the factor that a reduction states, so that this is not asked of constants.
    """
    if mutant.expr is None or mutant.kind == "constant":
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label]
    new = replace(old, expr=mutant.expr)
    for limit in theorem.limits:
        touched = set(limit.when) & (old.expr.free_symbols | new.expr.free_symbols)
        if limit.holds and touched and not _vanished(limit, new) and _confirmed_limit(theorem, limit):
            return "limit", f"at {_where(limit.when)} its {mutant.label} is no longer as the theorem states"
    for reduction in theorem.reductions:
        if not reduction.holds or reduction.to not in known or not _confirmed(theorem, reduction, known):
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
