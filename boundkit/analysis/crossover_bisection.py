"""Curves on which two expressions are equal, by bisection: for those that have no formula."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from boundkit.analysis.evaluate import RELATIVE_TOLERANCE
from boundkit.analysis.window import ROUNDS, Window, jumps

Array = NDArray[np.float64]

_HALVINGS = 60


def searched(left: Expr, right: Expr, window: Window, symbol: Symbol) -> list[tuple[Array, bool]]:
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
        steep = [jumps(_places(rows, beside, k), beside, ends) for k in range(_branch_count(rows))]
        new = np.unique(np.concatenate([np.empty(0), *steep]))
        if not new.size:
            break
    found = []
    for k in range(_branch_count(rows)):
        points = np.column_stack(window.placed(symbol, _places(rows, beside, k), beside))
        found.append((points, bool(rows[rows[:, 2] == k][0, 3])))
    return found


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
