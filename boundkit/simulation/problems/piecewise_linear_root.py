"""The root of a function of every coordinate that rises, and is linear between knots."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.problems.base import Array

Rise = Callable[[Array], tuple[Array, Array]]
"""Of a point (d,), the value by coordinate and what rounding may make of it."""


def root(knots: Array, rise: Rise) -> Array:
    """Where ``rise`` is 0 by coordinate, (d,), or the middle of where it is; knots are (K, d), sorted.

    It is not above 0 at the first knots and not below 0 at the last. A few evaluations are enough.
    """
    start = _first(knots, lambda g, rounding: g >= -rounding, rise)
    end = _first(knots, lambda g, rounding: g > rounding, rise)
    low, high = _at(knots, np.maximum(start - 1, 0)), _at(knots, start)
    (below, _), (above, rounding) = rise(low), rise(high)
    flat_until = _at(knots, np.maximum(end - 1, start))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = low - (high - low) * below / (above - below)
    return np.where(above <= rounding, (high + flat_until) / 2, between)


def _first(
    knots: Array, reached: Callable[[Array, Array], NDArray[np.bool_]], rise: Rise
) -> NDArray[np.intp]:
    """The first knot of each coordinate from which on that is so, by halving; K where it is never so."""
    low, high = np.full(knots.shape[1], -1), np.full(knots.shape[1], len(knots))
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, len(knots) - 1)
        so = reached(*rise(_at(knots, middle)))
        open_ = high - low > 1
        low, high = np.where(so | ~open_, low, middle), np.where(so & open_, middle, high)
    return high


def _at(knots: Array, k: NDArray[np.intp]) -> Array:
    chosen: Array = np.take_along_axis(knots, np.minimum(k, len(knots) - 1)[None], axis=0)[0]
    return chosen
