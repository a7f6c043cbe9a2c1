"""Coordinate-wise root of an increasing, piecewise linear function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.problems.base import Array

Rise = Callable[[Array], tuple[Array, Array]]
"""Maps a point (d,) to the value of each coordinate and a bound on its rounding error."""


def root(knots: Array, rise: Rise) -> Array:
    """The root of ``rise`` by coordinate, (d,), or the midpoint of its roots; knots are (K, d), sorted.

    ``rise`` is <= 0 at the first knots and >= 0 at the last. A few evaluations suffice.
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
    """The first knot of each coordinate from which on ``reached`` holds, by bisection; K if it never does."""
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
