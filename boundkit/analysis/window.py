"""Two quantities over ranges, all else fixed: where curves are looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol

from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.usual_ranges import between

Array = NDArray[np.float64]

POINTS = 401
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
        return between(self.xs if symbol == self.x else self.ys, POINTS)

    def placed(self, symbol: Symbol, value: Array, other: Array) -> tuple[Array, Array]:
        """(x, y) where ``symbol`` has the value and the other quantity the other."""
        value, other = np.broadcast_arrays(value, other)
        return (value, other) if symbol == self.x else (other, value)

    def other(self, symbol: Symbol) -> Symbol:
        """The other of the two quantities."""
        return self.y if symbol == self.x else self.x


def jumps(places: Array, beside: Array, ends: Array) -> Array:
    """Values of the other quantity half-way along pieces that are too steep, or where a curve breaks off."""
    with np.errstate(all="ignore"):
        height = np.log(places) / np.log(ends[1] / ends[0]) if ends[0] > 0 else places / (ends[1] - ends[0])
        jump = np.abs(np.diff(height))
    torn = np.isnan(places[1:]) != np.isnan(places[:-1])
    steep = np.flatnonzero((jump > 2 / POINTS) | torn)
    return np.asarray((beside[steep] + beside[steep + 1]) / 2)
