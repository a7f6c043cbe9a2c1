"""Curves on which two expressions are equal over a window of two quantities: by formula or bisection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from boundkit.analysis.crossover_formula import solve_equality
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate, evaluate_precisely
from boundkit.analysis.usual_ranges import between

Array = NDArray[np.float64]


CURVE_POINTS = 401
"""Points of a curve, where it is not steep."""

ROUNDS = 12
"""How often a steep piece of a curve is halved."""


@dataclass(frozen=True)
class Window:
    """Two quantities over ranges, rising, and the values of all others by keyword."""

    x: Symbol
    y: Symbol
    xs: Array
    ys: Array
    values: Mapping[str, float] = field(hash=False)

    def at(self, expr: Expr, x: Array | float, y: Array | float) -> Array:
        """The expression at points of the window."""
        return evaluate(expr, {**self.values, self.x.name: x, self.y.name: y})

    def along(self, symbol: Symbol) -> Array:
        """Points of the range of one of the two quantities, whole or not."""
        return between(self.xs if symbol == self.x else self.ys, CURVE_POINTS)

    def placed(self, symbol: Symbol, value: Array, other: Array) -> tuple[Array, Array]:
        """(x, y) where ``symbol`` has the value and the other quantity the other."""
        value, other = np.broadcast_arrays(value, other)
        return (value, other) if symbol == self.x else (other, value)

    def other(self, symbol: Symbol) -> Symbol:
        """The other of the two quantities."""
        return self.y if symbol == self.x else self.x


def steep_points(places: Array, beside: Array, ends: Array) -> Array:
    """Values of the other quantity half-way along pieces that are too steep, or where a curve breaks off."""
    with np.errstate(all="ignore"):
        height = np.log(places) / np.log(ends[1] / ends[0]) if ends[0] > 0 else places / (ends[1] - ends[0])
        jump = np.abs(np.diff(height))
    broken = np.isnan(places[1:]) != np.isnan(places[:-1])
    steep = np.flatnonzero((jump > 2 / CURVE_POINTS) | broken)
    return np.asarray((beside[steep] + beside[steep + 1]) / 2)


RESIDUAL = 1e-7
"""How well a formula must make both sides equal, relative to the larger."""

SHORT = 30
"""Operations of a formula for y beyond which one for x is looked for as well."""

_STEP = 1e-4
"""How far from a curve one looks to see which side is larger."""


@dataclass(frozen=True)
class Curve:
    """A branch of left = right: points (x, y), nan outside the window.

    ``expr`` is the formula of ``quantity`` on it, None where there is no closed form. ``grows`` says
    whether left is larger than right where the quantity is larger; None where that was not seen.
    """

    quantity: str
    expr: Expr | None
    points: Array = field(compare=False)
    grows: bool | None = None

    @property
    def inside(self) -> bool:
        """Whether it passes through the window."""
        return bool(np.isfinite(self.points).all(axis=-1).any())


def crossover_curves(left: Expr, right: Expr, window: Window) -> tuple[Curve, ...] | None:
    """The branches of left = right; () where the two are never equal, None where their ratio is constant.

    By formula, for y or x, whichever is shorter; each formula is put back into both sides at the points of
    its curve. Where there is none, or it does not stand the test, the curve is found by bisection.
    """
    places: dict[Symbol, tuple[Expr, ...] | None] = {}
    answers: list[tuple[Curve, ...]] = []
    for symbol in (window.y, window.x):
        places[symbol] = roots = solve_equality(left, right, symbol)
        answer = _branches(left, right, window, symbol, roots) if roots else None
        if answer is not None:
            answers.append(answer)
            if _length(answer) <= SHORT:
                break
    if answers:
        return min(answers, key=_length)
    if all(roots == () for roots in places.values()):
        return None
    symbol = window.x if places[window.y] == () else window.y
    return tuple(Curve(symbol.name, None, *one) for one in bisect_branches(left, right, window, symbol))


def _branches(
    left: Expr, right: Expr, window: Window, symbol: Symbol, roots: tuple[Expr, ...]
) -> tuple[Curve, ...] | None:
    """The curves of some formulas, without those that are nowhere real and positive; None if one is wrong."""
    result: list[Curve] = []
    for expr in roots:
        x, y = _trace(expr, window, symbol)
        a, b = (np.broadcast_to(window.at(side, x, y), x.shape) for side in (left, right))
        finite = np.isfinite(a) & np.isfinite(b) & (np.maximum(np.abs(a), np.abs(b)) < 1e300)
        with np.errstate(all="ignore"):
            wrong = finite & (np.abs(a - b) > RESIDUAL * np.maximum(np.abs(a), np.abs(b)))
        beside = y if symbol == window.x else x
        if not all(_equal_precisely(left, right, expr, window, symbol, at) for at in beside[wrong]):
            return None
        if finite.any():
            points = _clip(np.column_stack([x, y]), window)
            result.append(Curve(symbol.name, expr, points, _increases(left, right, window, symbol, x, y)))
    return tuple(result)


def _equal_precisely(
    left: Expr, right: Expr, expr: Expr, window: Window, symbol: Symbol, beside: float
) -> bool:
    """Whether a formula makes both sides equal beside a value of the other quantity, whatever cancels."""
    values = {**window.values, window.other(symbol).name: beside}
    values[symbol.name] = evaluate_precisely(expr, values)
    a, b = (evaluate_precisely(side, values) for side in (left, right))
    return bool(abs(a - b) <= RESIDUAL * max(abs(a), abs(b)))


def _trace(expr: Expr, window: Window, symbol: Symbol) -> tuple[Array, Array]:
    """(x, y) along a formula, nan where it is not real and positive; denser where it is steep."""
    other, ends = window.along(window.other(symbol)), window.along(symbol)[[0, -1]]

    def value(beside: Array) -> Array:
        x, y = window.placed(symbol, np.asarray(0.0), beside)
        result = np.broadcast_to(window.at(expr, x, y), beside.shape)
        return np.where(np.isfinite(result) & (result > 0), result, np.nan)

    for _ in range(ROUNDS):
        new = steep_points(np.clip(value(other), *ends), other, ends)
        if not new.size:
            break
        other = np.sort(np.concatenate([other, new]))
    return window.placed(symbol, value(other), other)


def _increases(left: Expr, right: Expr, window: Window, symbol: Symbol, x: Array, y: Array) -> bool | None:
    """Whether left is the larger side a little further along the symbol, at the first point that tells."""
    beyond = 1 + _STEP
    at = (x * beyond, y) if symbol == window.x else (x, y * beyond)
    more = difference_sign(*(np.broadcast_to(window.at(side, *at), x.shape) for side in (left, right)))
    signed = np.flatnonzero(np.isfinite(more) & (more != 0))
    return bool(more[signed[0]] > 0) if signed.size else None


def _clip(points: Array, window: Window) -> Array:
    """The points, nan where they are outside the window."""
    ends = np.array([[window.xs[0], window.ys[0]], [window.xs[-1], window.ys[-1]]])
    tolerance = 1e-12 * np.abs(ends)
    with np.errstate(invalid="ignore"):
        inside = ((points >= ends[0] - tolerance[0]) & (points <= ends[1] + tolerance[1])).all(axis=-1)
    return np.where(inside[:, None], points, np.nan)


def _length(answer: tuple[Curve, ...]) -> int:
    return sum(int(curve.expr.count_ops()) for curve in answer if curve.expr is not None)


_HALVINGS = 60


def bisect_branches(left: Expr, right: Expr, window: Window, symbol: Symbol) -> list[tuple[Array, bool]]:
    """The branches of left = right: points (x, y), nan where a branch is not, and whether left grows there.

    Every sign change of left - right along the symbol, at values of the other quantity, which lie denser
    where a branch is steep.
    """
    ends = window.along(symbol)[[0, -1]]
    new = window.along(window.other(symbol))
    rows = np.empty(
        (0, 4)
    )  # the other quantity, the place, the number of the branch, whether left grows there
    beside = np.empty(0)
    for _ in range(ROUNDS):
        rows = np.concatenate([rows, _sign_changes(left, right, window, symbol, new)])
        beside = np.sort(np.concatenate([beside, new]))
        steep = [steep_points(_places(rows, beside, k), beside, ends) for k in range(_branch_count(rows))]
        new = np.unique(np.concatenate([np.empty(0), *steep]))
        if not new.size:
            break
    result = []
    for k in range(_branch_count(rows)):
        points = np.column_stack(window.placed(symbol, _places(rows, beside, k), beside))
        result.append((points, bool(rows[rows[:, 2] == k][0, 3])))
    return result


def _sign_changes(left: Expr, right: Expr, window: Window, symbol: Symbol, beside: Array) -> Array:
    """A row for each: the other quantity, the place, how many came before it there, whether left grows."""
    values = window.along(symbol)

    def above(value: Array, other: Array) -> Array:
        x, y = window.placed(symbol, value, other)
        a, b = (np.broadcast_to(window.at(side, x, y), x.shape) for side in (left, right))
        return difference_sign(a, b)

    signs = above(values[None, :], beside[:, None])
    for column in range(1, values.size):  # equal at a value itself: what was before it counts there
        signs[:, column] = np.where(signs[:, column] == 0, signs[:, column - 1], signs[:, column])
    rows, columns = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0)
    low, high, first = values[columns], values[columns + 1], signs[rows, columns]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = above(middle, beside[rows]) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    number = np.arange(rows.size) - np.searchsorted(rows, rows)
    return np.column_stack([beside[rows], low, number, first < 0])


def difference_sign(left: Array, right: Array) -> Array:
    """The sign of left - right, 0 where they differ by rounding alone."""
    with np.errstate(all="ignore"):
        difference = left - right
        slack = RELATIVE_TOLERANCE * np.maximum(np.abs(left), np.abs(right))
        return np.where(np.isfinite(slack) & (np.abs(difference) <= slack), 0.0, np.sign(difference))


def _branch_count(rows: Array) -> int:
    return int(rows[:, 2].max(initial=-1)) + 1


def _places(rows: Array, beside: Array, branch: int) -> Array:
    """The places of one branch at all values of the other quantity, nan where it is not there."""
    mine = rows[rows[:, 2] == branch]
    places = np.full(beside.shape, np.nan)
    places[np.searchsorted(beside, mine[:, 0])] = mine[:, 1]
    return places
