"""The tuned bound in numbers, at many points at once: what decides where no argument does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Quantity
from boundkit.algebra.notation import eta
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.sensitivity.context import Context

Array = NDArray[np.float64]

DECADES, GRID, NARROWINGS = 16.0, 161, 90
"""How far below its limit the step is looked for, on how many points first, and how often it is narrowed."""

NUDGE = 1e-4
"""By which share of itself a quantity is moved."""


def tuned_changes(context: Context, quantity: Quantity, values: Mapping[str, Array]) -> Array:
    """The relative change of the tuned bound per relative change of the quantity, at every point.

    nan where numbers cannot tell: where the bound is not finite.
    """
    at = {n: v for n, v in values.items() if n != eta.name}
    here = tuned_values(context, at)
    old = at[quantity.name]
    way = -1.0 if np.isfinite(quantity.domain.upper) else 1.0
    step = way * NUDGE * np.where(old > 0, old, max(float(quantity.typical), 1.0))
    there = tuned_values(context, {**at, quantity.name: old + step})
    with np.errstate(all="ignore"):
        change = (there - here) / here / NUDGE * way
    return np.where(np.isfinite(change), change, np.nan)


def tuned_values(context: Context, values: Mapping[str, Array]) -> Array:
    """The least bound over eta inside its limits, at every point: a grid of log eta, then golden sections."""
    size = next(iter(values.values())).size if values else 1
    top = np.log(np.minimum(_least(context, values, size), 10.0 ** (DECADES / 2)))
    grid = top[:, None] - np.linspace(0, DECADES * np.log(10), GRID)
    place = np.argmin(_bound(context, {n: v[:, None] for n, v in values.items()}, grid), axis=1)
    rows = np.arange(size)
    high = grid[rows, np.maximum(place - 1, 0)]
    low = grid[rows, np.minimum(place + 1, GRID - 1)]
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(NARROWINGS):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        lower = _bound(context, values, left) < _bound(context, values, right)
        high, low = np.where(lower, right, high), np.where(lower, low, left)
    best = np.minimum(_bound(context, values, (low + high) / 2), _bound(context, values, top))
    return np.asarray(best)


def _least(context: Context, values: Mapping[str, Array], size: int) -> Array:
    least = np.full(size, np.inf)
    for limit in context.limits:
        at = np.broadcast_to(evaluate(limit, values), (size,))
        least = np.minimum(least, np.where(np.isnan(at), np.inf, at))
    return least


def _bound(context: Context, values: Mapping[str, Array], log_eta: Array) -> Array:
    with np.errstate(all="ignore"):
        at = {**values, eta.name: np.exp(log_eta)}
    total = np.zeros(log_eta.shape)
    for expr in context.terms.values():
        total = total + evaluate(expr, at)
    return np.where(np.isfinite(total), total, np.inf)
