"""One theorem of a comparison: its values, its terms over the grid, and where it becomes the lowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Add, Expr, Symbol

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Vector
from boundkit.analysis.answers_over_axes import MOST_SEARCHES
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.crossover import Curve, Window, crossover_curves, solve_equality
from boundkit.analysis.evaluate import Array, evaluate
from boundkit.analysis.parameters import Parameters, resolve
from boundkit.analysis.rate import split_rules, substitute_rules
from boundkit.analysis.step_size import conditions_hold, largest, limit_at
from boundkit.analysis.tune import best_step
from boundkit.report.formatting import json_values


@dataclass(frozen=True, eq=False)
class TheoremArguments:
    """A theorem with its clients and rules put in, and its share of the values.

    ``tunes`` says that its eta is optimised, so it is not among the values.
    """

    theorem: Theorem
    query: Parameters
    rules: Mapping[str, Expr]
    tunes: bool


def share_values(
    theorems: Sequence[Theorem], given: Mapping[str, object], tuned: bool = False
) -> list[TheoremArguments]:
    """Each theorem with the given values of its own quantities, and typical values of the others.

    A missing value is the same for all theorems: the typical value of the first that has the quantity. Raises
    BoundkitError for a name that no theorem has, and for one keyword with two meanings.
    """
    names_by_theorem = [names_of(theorem) for theorem in theorems]
    for name in given:
        if not any(name in names for names in names_by_theorem):
            raise unknown("parameter of any of these theorems", str(name), set().union(*names_by_theorem))
    if tuned and "eta" in given:
        raise BoundkitError("eta is what is tuned here, so it must not be given.")
    parts = [
        _substitute(t, {n: v for n, v in given.items() if n in k})
        for t, k in zip(theorems, names_by_theorem, strict=True)
    ]
    statements = [statement for statement, _, _ in parts]
    for one, other in combinations(statements, 2):
        for name in {q.name for q in one.quantities} & {q.name for q in other.quantities}:
            first, second = (next(q for q in t.quantities if q.name == name) for t in (one, other))
            if first != second:
                raise BoundkitError(
                    f"{name} of {one.name} and {name} of {other.name} are different quantities."
                )
    typical: dict[str, float] = {}
    for statement in statements:
        for quantity in statement.quantities:
            typical.setdefault(quantity.name, float(quantity.typical))
    result = []
    for statement, left, rules in parts:
        tunes = tuned and any(q.name == "eta" for q in statement.quantities)
        free = ("eta",) if tunes else ()
        missing = [q.name for q in statement.quantities if q.name not in left and q.name not in free]
        query = resolve(statement, left | {name: typical[name] for name in missing}, free)
        result.append(TheoremArguments(statement, query, rules, tunes))
    return result


def _substitute(
    theorem: Theorem, given: dict[str, object]
) -> tuple[Theorem, dict[str, object], dict[str, Expr]]:
    """With its clients and rules substituted. Where a vector is given, its scalar is not needed."""
    own = {q.name for q in theorem.quantities}
    for vector in _vectors(theorem):
        if vector.name in given:
            for symbol in vector.alike.free_symbols:
                if symbol.name not in own and symbol.name != "m":
                    given.pop(symbol.name, None)
    rules, values = split_rules(given)
    statement, left = substitute_clients(theorem, values)
    ruled, written = substitute_rules(statement, rules)
    return ruled, left, written


def _vectors(theorem: Theorem) -> set[Vector]:
    return {symbol for symbol in _symbols(theorem) if isinstance(symbol, Vector)}


def _symbols(theorem: Theorem) -> set[Symbol]:
    """The derived quantities, by definition or by solver, and the symbols of their expressions."""
    every = [*theorem.definitions.items(), *(d for s in theorem.solvers.values() for d in s.items())]
    return {symbol for quantity, expr in every for symbol in {quantity, *expr.free_symbols}}


def names_of(theorem: Theorem) -> set[str]:
    """The quantities that the theorem takes as arguments."""
    names = {q.name for q in theorem.quantities}
    if not theorem.definitions and not theorem.solvers:
        return names
    alike = {s for vector in _vectors(theorem) for s in vector.alike.free_symbols}
    return (
        names
        | {s.name for s in _symbols(theorem) | alike}
        | {"m"}
        | ({"solver"} if theorem.solvers else set())
    )


@dataclass(frozen=True, eq=False)
class ComparedTheorem:
    """Terms by label, and where the steps are inside the conditions, over the whole grid.

    ``steps`` is its best eta, None where eta is given or there is none. ``limit`` is the largest eta.
    """

    part: TheoremArguments
    arrays: dict[str, Array]
    holds: NDArray[np.bool_]
    limit: Array
    steps: Array | None

    @property
    def name(self) -> str:
        """The theorem's name."""
        return self.part.theorem.name

    @property
    def theorem(self) -> Theorem:
        """The theorem, with its clients and rules put in."""
        return self.part.theorem

    @property
    def total(self) -> Array:
        """The bound over the grid."""
        return np.asarray(sum(self.arrays.values()))

    def over(self, grid: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> tuple[Array, NDArray[np.bool_]]:
        """The bound, and where the steps are allowed, at other values; of a step that is given."""
        parts = (evaluate(term.expr, grid) for term in self.theorem.terms)
        total = np.asarray(sum(parts), dtype=np.float64)
        return np.broadcast_to(total, shape), np.broadcast_to(conditions_hold(self.theorem, grid), shape)

    def by_cause(self) -> dict[str, Array]:
        """The bound split by cause; terms of one cause are added."""
        result: dict[str, Array] = {}
        for term in self.theorem.terms:
            result[term.cause] = result.get(term.cause, np.zeros(self.holds.shape)) + self.arrays[term.label]
        return result


def evaluate_contender(part: TheoremArguments, axes: Mapping[str, Array]) -> ComparedTheorem:
    """The theorem over the grid of all axes, those of other theorems included.

    Raises BoundkitError where a term is too large for a number, or no step is best.
    """
    shape = tuple(values.size for values in axes.values())
    grid: dict[str, ArrayLike] = {
        name: _along(np.asarray(value, dtype=np.float64), name, list(axes))
        for name, value in part.query.values.items()
    }
    steps = None
    if part.tunes:
        steps = np.broadcast_to(_tuned(part, list(axes)), shape)
        grid["eta"] = steps
    theorem = part.theorem
    arrays = {t.label: np.broadcast_to(evaluate(t.expr, grid), shape) for t in theorem.terms}
    for label, values in arrays.items():
        if not np.all(np.abs(values) < 1e300):
            raise BoundkitError(
                f"the term {label!r} of {theorem.name} is too large for a number somewhere here."
            )
    inside = np.broadcast_to(conditions_hold(theorem, grid), shape)
    limit = np.broadcast_to(limit_at(largest(theorem), grid), shape)
    return ComparedTheorem(part, arrays, inside, limit, steps)


def total_at(part: TheoremArguments, axis: str, value: float) -> float:
    """The bound at one value of the only axis."""
    values = {n: float(np.ravel(v)[0]) for n, v in part.query.values.items() if n not in part.query.axes}
    if axis in part.query.axes:
        values[axis] = value
    if part.tunes:
        values["eta"] = best_step(part.theorem, "eta", Parameters(dict(values), (), part.query.assumed)).at
    return float(sum(float(evaluate(t.expr, values)) for t in part.theorem.terms))


def _along(value: Array, name: str, axes: list[str]) -> Array:
    return value.reshape([-1 if axis == name else 1 for axis in axes]) if name in axes else value


def _tuned(part: TheoremArguments, axes: list[str]) -> Array:
    """The best eta at every point of the theorem's own axes, shaped for the grid of all."""
    own = [name for name in axes if name in part.query.axes]
    values = {name: np.asarray(part.query.values[name]) for name in own}
    sizes = [values[name].size for name in own]
    if prod(sizes) > MOST_SEARCHES:
        raise BoundkitError(
            f"eta was to be tuned at {prod(sizes)} points, but {MOST_SEARCHES} is the most; take fewer "
            "values."
        )
    fixed = {n: float(np.ravel(v)[0]) for n, v in part.query.values.items() if n not in own}
    best = [
        best_step(
            part.theorem, "eta", Parameters({**fixed, **dict(zip(own, map(float, point), strict=True))})
        ).at
        for point in product(*values.values())
    ]
    return np.reshape(best, [values[name].size if name in own else 1 for name in axes])


_HALVINGS = 60
_NEAR = 1e-6
"""Largest relative distance of a formula from the crossing that bisection gives."""


@dataclass(frozen=True)
class LowestBoundChange:
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
    parts: Sequence[TheoremArguments], axis: str, lowest: NDArray[Any], values: Array
) -> tuple[LowestBoundChange, ...]:
    """Every change of the lowest along the axis, between neighbours of the grid, found by bisection."""
    by_name = {part.theorem.name: part for part in parts}
    decided = [(place, str(name)) for place, name in enumerate(lowest) if name in by_name]
    result = []
    for (left, before), (right, after) in pairwise(decided):
        if before != after:
            one, other = by_name[before], by_name[after]
            whole = any(q.name == axis and q.domain.whole for p in (one, other) for q in p.theorem.quantities)
            at = _bisect(one, other, axis, float(values[left]), float(values[right]), whole)
            result.append(
                LowestBoundChange(axis, at, before, after, _closed_form(one, other, axis, at, whole))
            )
    return tuple(result)


def border_curves(
    parts: Sequence[TheoremArguments], axes: Mapping[str, Array], fixed: Mapping[str, float]
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


def _bisect(
    one: TheoremArguments, other: TheoremArguments, axis: str, low: float, high: float, whole: bool
) -> float:
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


def _closed_form(
    one: TheoremArguments, other: TheoremArguments, axis: str, at: float, whole: bool
) -> Expr | None:
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


def _total(part: TheoremArguments) -> Expr:
    return Add(*(term.expr for term in part.theorem.terms))
