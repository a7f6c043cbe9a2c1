"""Mutants that are weaker than their theorem: refuted at random points, or proved by signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import Quantity
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.random_points import draw_points
from boundkit.attack.mutation.signs import sign_proofs

Array = NDArray[np.float64]
ROUNDING = 1e-12
LEAST = 1000
"""Least number of random points for a statement."""


@dataclass(frozen=True)
class WeakerResult:
    """The mutant claims no more than its theorem: proved, or at ``points`` random points.

    ``slack``: the factor at typical values by which its term is larger, where that is finite.
    """

    proved: bool
    points: int
    slack: float


def check_weaker(mutant: Mutant) -> WeakerResult | None:
    """Check whether its bound is everywhere at least the original's (at most, of a lower bound); None if not.

    Random points come first: one at which it is smaller decides.
    """
    if mutant.expr is None:
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label].expr
    less, more = (mutant.expr, old) if theorem.kind == "lower" else (old, mutant.expr)
    points = draw_points(theorem)
    smaller, larger = (_at(e, points) for e in (less, more))
    names = np.isfinite(smaller) & np.isfinite(larger)
    if (larger < smaller * (1 - ROUNDING))[names].any():
        return None
    proved = _proved(mutant, more, less)
    count = int(names.sum())
    if not proved and count < LEAST:
        return None
    return WeakerResult(proved, count, _slack(mutant.expr, old))


def _proved(mutant: Mutant, more: Expr, less: Expr) -> bool:
    """Prove it by signs, from the place of the change outwards, else for the whole term."""
    result, theorem = sign_proofs(mutant.original), mutant.original
    if mutant.path is not None and mutant.part is not None:
        way = result.grows(theorem.bound.terms[mutant.label].expr, mutant.path, mutant.part)
        if way == (-1 if theorem.kind == "lower" else 1):
            return True
    return result.never_less(more, less)


def _slack(new: Expr, old: Expr) -> float:
    quantities = new.free_symbols | old.free_symbols
    typical = {q.name: q.typical for q in quantities if isinstance(q, Quantity)}
    with np.errstate(all="ignore"):
        return float(evaluate(new, typical) / evaluate(old, typical))


def _at(expr: Expr, points: Mapping[str, Array]) -> Array:
    count = len(next(iter(points.values()), np.zeros(0)))
    return np.broadcast_to(evaluate(expr, points), (count,))
