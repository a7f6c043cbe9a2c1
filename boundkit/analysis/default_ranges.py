"""Default ranges of quantities: legal values around the typical one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, inf, lcm

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Quantity
from boundkit.algebra.notation import WHOLE
from boundkit.analysis.evaluate import Array

POINTS, DECADES = 101, 2
"""How many values, and how far from the typical one, both ways."""

SHARES = 60
"""Numbers of clients are multiples of this where a share or a division of them varies as well."""

_DIVISORS = tuple(s.name for product in WHOLE for s in product.free_symbols if product.has(1 / s))
"""Into how many equal parts clients are divided: groups, clusters."""

_FINEST = 10_000
"""The largest denominator that is looked for in a share of the clients."""


def default_values(quantity: Quantity, others: Mapping[str, Sequence[float] | None]) -> list[float]:
    """Rising values of a quantity, whole where it counts, and such that C m is whole at all ``others``.

    Even in the logarithm, two decades both ways of the typical value; counts from 1 on; even where the
    domain is [0, 1). ``None``: values that are chosen later.

    >>> from boundkit.algebra.notation import C, eta, m, tau
    >>> [default_values(q, {"m": [100.0]})[0] for q in (C, eta, tau)]
    [0.01, 1e-05, 1.0]
    >>> default_values(m, {"C": [0.25]})[:3]
    [4.0, 8.0, 12.0]
    """
    low, high = quantity.domain.lower, quantity.domain.upper
    clients = others.get("m")
    if clients and quantity.name in ("C", *_DIVISORS):
        common = gcd(*(round(v) for v in clients))
        if quantity.name == "C":
            return [count / common for count in _counts(1, common)]
        return [float(n) for n in range(1, common + 1) if common % n == 0]
    centre = float(quantity.typical) if quantity.typical > 0 else 1.0
    if quantity.domain.whole:
        step = _step_of_clients(others) if quantity.name == "m" else 1
        return [step * n for n in _counts(max(low, 1), max(centre * 10**DECADES, low + 10) // step)]
    if high < inf and quantity.domain.includes_lower:
        return [*map(float, np.linspace(low, high, POINTS, endpoint=quantity.domain.includes_upper))]
    top = min(centre * 10.0**DECADES, high)
    bottom = max(centre * 10.0**-DECADES, low)
    return [*map(float, np.geomspace(bottom, top, POINTS))]


def is_logarithmic(values: Array) -> bool:
    """Whether an axis over these rising values is drawn and weighed in the logarithm."""
    return bool(values[0] > 0 and values[-1] / values[0] >= 8)


def edges_of(values: Array) -> Array:
    """The edges of cells around rising values: half-way between them, and the ends themselves.

    >>> edges_of(np.array([1.0, 4.0, 16.0])).tolist()
    [1.0, 2.0, 8.0, 16.0]
    """
    middles = np.sqrt(values[1:] * values[:-1]) if is_logarithmic(values) else (values[1:] + values[:-1]) / 2
    return np.concatenate([values[:1], middles, values[-1:]])


def widths_of(values: Array) -> Array:
    """The width of each cell as it is drawn; they sum to 1."""
    edges = edges_of(values)
    drawn = np.diff(np.log(edges) if is_logarithmic(values) else edges)
    return np.asarray(drawn / drawn.sum(), dtype=np.float64)


def between(values: Array, count: int) -> Array:
    """Points from the first to the last value, whole or not, spaced as the axis is."""
    spaced = np.geomspace if is_logarithmic(values) else np.linspace
    return np.clip(spaced(values[0], values[-1], count), values[0], values[-1])


def nearest(values: Array, wanted: Array) -> NDArray[np.intp]:
    """The place of the nearest of some rising values, as the axis is drawn.

    >>> nearest(np.array([1.0, 10.0, 100.0]), np.array([2.0, 4.0])).tolist()
    [0, 1]
    """
    return np.clip(np.searchsorted(edges_of(values)[1:-1], wanted), 0, values.size - 1)


def _counts(low: float, high: float) -> list[float]:
    return [float(n) for n in np.unique(np.round(np.geomspace(low, max(high, low), POINTS)))]


def _step_of_clients(others: Mapping[str, Sequence[float] | None]) -> int:
    """The least number of clients that every share of them in ``others`` divides."""
    step = 1
    for name in ("C", *_DIVISORS):
        values = others.get(name, [1.0])
        parts = [Fraction(value).limit_denominator(_FINEST) for value in values or []]
        step = lcm(step, *(part.denominator if name == "C" else part.numerator for part in parts))
        step = step if values else lcm(step, SHARES)
    return step
