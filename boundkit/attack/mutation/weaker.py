"""Whether a mutant only weakens its theorem: random points show that it does not, signs that it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import Quantity
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.random_points import draws
from boundkit.attack.mutation.signs import signs

Array = NDArray[np.float64]
ROUNDING = 1e-12
LEAST = 1000
"""Fewer random points than this tell nothing."""


@dataclass(frozen=True)
class Weaker:
    """The mutant claims no more than its theorem: proved, or seen at ``points`` random points.

    ``slack``: how many times as large its term is at typical values, where that is a number.
    """

    proved: bool
    points: int
    slack: float


def weaker(mutant: Mutant) -> Weaker | None:
    """Whether its bound is at least the original's (at most, of a lower bound) everywhere; None if not.

    Numbers first: one point where it is smaller settles the matter.
    """
    if mutant.expr is None:
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label].expr
    less, more = (mutant.expr, old) if theorem.kind == "lower" else (old, mutant.expr)
    points = draws(theorem)
    smaller, larger = (_at(e, points) for e in (less, more))
    known = np.isfinite(smaller) & np.isfinite(larger)
    if (larger < smaller * (1 - ROUNDING))[known].any():
        return None
    proved = _proved(mutant, more, less)
    count = int(known.sum())
    if not proved and count < LEAST:
        return None
    return Weaker(proved, count, _slack(mutant.expr, old))


def _proved(mutant: Mutant, more: Expr, less: Expr) -> bool:
    """By signs: where the change stands and outwards from there, else of the whole term."""
    found, theorem = signs(mutant.original), mutant.original
    if mutant.path is not None and mutant.part is not None:
        way = found.grows(theorem.bound.terms[mutant.label].expr, mutant.path, mutant.part)
        if way == (-1 if theorem.kind == "lower" else 1):
            return True
    return found.never_less(more, less)


def _slack(new: Expr, old: Expr) -> float:
    letters = new.free_symbols | old.free_symbols
    typical = {q.name: q.typical for q in letters if isinstance(q, Quantity)}
    with np.errstate(all="ignore"):
        return float(evaluate(new, typical) / evaluate(old, typical))


def _at(expr: Expr, points: Mapping[str, Array]) -> Array:
    count = len(next(iter(points.values()), np.zeros(0)))
    return np.broadcast_to(evaluate(expr, points), (count,))
