"""The largest value of a quantity that a condition allows, where no formula gives it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Dummy, Expr, Symbol

Array = NDArray[np.float64]

_SMALLEST, _LARGEST, _DECADE = 1e-60, 1e60, 10.0
_HALVINGS = 60
"""Enough to find a number inside one decade to all its digits."""


class Threshold(Expr):  # type: ignore[misc]  # sympy carries no types
    """The first x at which small <= large fails, from below; inf where it never does.

    It is an expression in all other letters, and is evaluated by search.
    """

    is_commutative = True
    is_extended_positive = True

    def __new__(cls, small: Expr, large: Expr, x: Symbol) -> Threshold:
        bound = Dummy(x.name, positive=True)
        self: Threshold = Expr.__new__(cls, small.xreplace({x: bound}), large.xreplace({x: bound}), bound)
        return self

    @property
    def excess(self) -> Expr:
        """What must not be above 0."""
        return self.args[0] - self.args[1]

    @property
    def bound(self) -> Symbol:
        """The letter that is searched for."""
        return self.args[2]

    @property
    def free_symbols(self) -> set[Symbol]:
        """All letters but the one that is searched for."""
        return set(self.excess.free_symbols) - {self.bound}

    def _sympystr(self, printer: Any) -> str:
        small, large = (printer._print(side) for side in self.args[:2])
        return f"largest {self.bound.name} with {small} <= {large}"


def first_failure(excess: Callable[[Array], Array], shape: tuple[int, ...]) -> Array:
    """Where ``excess`` first rises above 0: by decades, then by halving the last one; inf where nowhere.

    >>> round(float(first_failure(lambda x: x**2 - 9, ())), 12)
    3.0
    """
    low = np.full(shape, _SMALLEST)
    waiting = np.full(shape, True)
    while waiting.any() and low.max(initial=0) < _LARGEST:
        waiting &= ~_failed(excess, low * _DECADE)
        low = np.where(waiting, low * _DECADE, low)
    high = low * _DECADE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        bad = _failed(excess, middle)
        low, high = np.where(bad, low, middle), np.where(bad, middle, high)
    return np.where(waiting, np.inf, low)


def _failed(excess: Callable[[Array], Array], x: Array) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        return np.asarray(~(excess(x) <= 0))
