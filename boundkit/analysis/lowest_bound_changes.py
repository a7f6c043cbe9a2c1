"""Where another theorem becomes the lowest: along one axis, and over two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr

from boundkit.algebra.printing import plain
from boundkit.analysis.compared_theorem import Part, total_at
from boundkit.analysis.crossover import Curve, Window, crossover_curves
from boundkit.analysis.crossover_formula import solve_equality
from boundkit.analysis.evaluate import evaluate
from boundkit.report.formatting import json_values

Array = NDArray[np.float64]


_HALVINGS = 60
_NEAR = 1e-6
"""How well a formula must meet the place that was found by bisection."""


@dataclass(frozen=True)
class Change:
    """From ``at`` on, ``after`` is lower than ``before``, which was the lowest.

    A count is the first whole number at which it is so; ``formula`` is where the totals are equal, None
    where there is no closed form.
    """

    axis: str
    at: float
    before: str
    after: str
    formula: Expr | None

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return {
            "axis": self.axis,
            "at": json_values(self.at),
            "before": self.before,
            "after": self.after,
            "formula": None if self.formula is None else plain(self.formula),
        }


def lowest_changes(
    parts: Sequence[Part], axis: str, lowest: NDArray[Any], values: Array
) -> tuple[Change, ...]:
    """Every change of the lowest along the axis, between neighbours of the grid, found by bisection."""
    by_name = {part.theorem.name: part for part in parts}
    decided = [(place, str(name)) for place, name in enumerate(lowest) if name in by_name]
    result = []
    for (left, before), (right, after) in pairwise(decided):
        if before != after:
            one, other = by_name[before], by_name[after]
            whole = any(q.name == axis and q.domain.whole for p in (one, other) for q in p.theorem.quantities)
            at = _bisect(one, other, axis, float(values[left]), float(values[right]), whole)
            result.append(Change(axis, at, before, after, _closed_form(one, other, axis, at, whole)))
    return tuple(result)


def border_curves(
    parts: Sequence[Part], axes: Mapping[str, Array], fixed: Mapping[str, float]
) -> tuple[tuple[tuple[str, str], tuple[Curve, ...]], ...]:
    """For each pair, the curves over two axes on which their totals are equal."""
    (x, xs), (y, ys) = axes.items()
    symbols = {q.name: q for part in parts for q in part.theorem.quantities}
    if xs.size < 2 or ys.size < 2:
        return ()
    window = Window(symbols[x], symbols[y], xs, ys, dict(fixed))
    result = []
    for one, other in combinations(parts, 2):
        equal = crossover_curves(_total(one), _total(other), window)
        result.append(((one.theorem.name, other.theorem.name), equal or ()))
    return tuple(result)


def _bisect(one: Part, other: Part, axis: str, low: float, high: float, whole: bool) -> float:
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        middle = float(ceil(middle)) if whole else middle
        if middle in (low, high):
            break
        if total_at(other, axis, middle) < total_at(one, axis, middle):
            high = middle
        else:
            low = middle
    return high


def _closed_form(one: Part, other: Part, axis: str, at: float, whole: bool) -> Expr | None:
    """The closed form that gives the place; none where steps are tuned, since they are no formula here."""
    symbol = next(q for p in (one, other) for q in p.theorem.quantities if q.name == axis)
    if one.tunes or other.tunes:
        return None
    values = {n: v for p in (one, other) for n, v in p.query.values.items() if n != axis}
    for root in solve_equality(_total(one), _total(other), symbol) or ():
        place = float(evaluate(root, values))
        if (at - 1 <= place <= at * (1 + _NEAR)) if whole else abs(place - at) <= _NEAR * at:
            return root
    return None


def _total(part: Part) -> Expr:
    return Add(*(term.expr for term in part.theorem.terms))
