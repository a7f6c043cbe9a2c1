"""Properties of polynomials of one variable, from their roots. Highest power first, as numpy.polyval.

Extremes are searched at the real parts of all roots of a derivative. A point that is not a root only adds a
candidate: the largest of all candidates is a value of the function, and none is missed
where rounding has split a double real root into a complex pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from boundkit.simulation.arrays import Array

_SMALLEST, _LARGEST = 1e-9, 1e9
_GOLDEN = (5**0.5 - 1) / 2
_SEARCH = 120
_FAR, _GRID = 1e4, 400
_WIDE = 1e-4


def trimmed(c: Array) -> Array:
    """The coefficients without leading zeros; at least one coefficient remains."""
    nonzero = np.flatnonzero(c)
    return c[nonzero[0] :] if len(nonzero) else np.zeros(1)


def degree(c: Array) -> int:
    """The degree; 0 for a constant, also for 0."""
    return len(trimmed(c)) - 1


def derivative(c: Array) -> Array:
    """The coefficients of the derivative; (0,) for a constant."""
    return np.asarray(np.polyder(c), dtype=np.float64) if len(c) > 1 else np.zeros(1)


def real_parts(c: Array) -> Array:
    """The real parts of all roots, each improved by a Newton step where that lowers |c|."""
    c = trimmed(c)
    if len(c) < 2:
        return np.zeros(0)
    x = np.real(np.roots(c)).astype(np.float64)
    slope = derivative(c)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(3):
            value, derivative_value = np.polyval(c, x), np.polyval(slope, x)
            moved = x - np.divide(value, derivative_value, out=np.zeros_like(x), where=derivative_value != 0)
            x = np.where(np.abs(np.polyval(c, moved)) < np.abs(value), moved, x)
    return x


def added(a: Array, b: Array) -> Array:
    """a + b."""
    return np.asarray(np.polyadd(a, b), dtype=np.float64)


def minimum(c: Array) -> tuple[float, float] | None:
    """The minimiser and the minimum of the polynomial; None where it is unbounded below."""
    c = trimmed(c)
    if len(c) == 1:
        return 0.0, float(c[0])
    if len(c) % 2 == 0 or c[0] < 0:
        return None
    x = real_parts(derivative(c))
    values = np.polyval(c, x)
    best = int(np.argmin(values))
    return float(x[best]), float(values[best])


def excess(a: Array, b: Array, slope: float) -> float:
    """sup over x of |a(x)| - slope |b(x)|; inf where it is unbounded, or where values overflow."""
    a, b = trimmed(a), trimmed(b)
    if slope == 0:
        return float(abs(a[0])) if len(a) == 1 else np.inf
    top = degree(a) - degree(b)
    if degree(a) > 0 and (top > 0 or (top == 0 and abs(a[0]) > slope * abs(b[0]) * (1 + 1e-12))):
        return np.inf
    da, db = derivative(a), derivative(b)
    x = np.concatenate([
        real_parts(a), real_parts(b), real_parts(added(da, slope * db)), real_parts(added(da, -slope * db)),
        np.zeros(1),
    ])  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):
        supremum = float((np.abs(np.polyval(a, x)) - slope * np.abs(np.polyval(b, x))).max())
    if not np.isfinite(supremum):
        return np.inf
    if top == 0 and degree(a) > 0 and abs(a[0]) >= slope * abs(b[0]) * (1 - 1e-12):
        return max(supremum, _beyond(a, b, slope))
    return supremum


def _beyond(a: Array, b: Array, slope: float) -> float:
    """The limit at infinity where the leading powers of |a| and slope |b| cancel; inf where it grows."""
    if degree(a) == 1:
        sign = np.sign(a[0] * b[0])
        return float(abs(a[1] - sign * slope * b[1]))
    return float(np.inf)


def steepness(pairs: Sequence[tuple[Array, Array]]) -> float:
    """The infimum of slopes for which every excess is finite: the largest ratio of leading powers."""
    ratios = [0.0]
    for a, b in pairs:
        a, b = trimmed(a), trimmed(b)
        if degree(a) == degree(b) and degree(a) > 0:
            ratios.append(float(abs(a[0] / b[0])))
    return max(ratios)


def balanced_slope(pairs: Sequence[tuple[Array, Array]], weight: float) -> float:
    """A slope that nearly minimises max_k excess_k(slope) + slope * weight; 0 where none is needed.

    The excess is convex in the slope, a supremum of linear functions: so the sum is unimodal, and is
    minimised by golden section on the logarithm of slope - ``steepness``. Any slope there is valid, so the
    search uses grid points only.
    """
    pairs = [(trimmed(a), trimmed(b)) for a, b in pairs]
    if all(degree(a) == 0 for a, _ in pairs):
        return 0.0
    roots = np.concatenate([real_parts(c) for pair in pairs for c in pair])
    scale = float(np.abs(roots).max(initial=0.0)) or 1.0
    grid = scale * np.geomspace(1 / _FAR, _FAR, _GRID)
    x = np.concatenate([roots, grid, -grid, np.zeros(1)])
    first = np.stack([np.abs(np.polyval(a, x)) for a, _ in pairs])
    second = np.stack([np.abs(np.polyval(b, x)) for _, b in pairs])
    least_slope = steepness(pairs)

    def cost(log: float) -> float:
        s = least_slope + float(np.exp(log))
        return float((first - s * second).max()) + s * weight

    log = _valley(cost, float(np.log(_SMALLEST)), float(np.log(_LARGEST)))
    return float(f"{least_slope + np.exp(log):.4g}") if least_slope == 0 else least_slope + float(np.exp(log))


def _valley(cost: Callable[[float], float], low: float, high: float) -> float:
    first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_first, at_second = cost(first), cost(second)
    for _ in range(_SEARCH):
        if high - low < _WIDE:
            break
        if at_first <= at_second:
            high, second, at_second = second, first, at_first
            first = high - _GOLDEN * (high - low)
            at_first = cost(first)
        else:
            low, first, at_first = first, second, at_second
            second = low + _GOLDEN * (high - low)
            at_second = cost(second)
    return (low + high) / 2


def sublevel_points(c: Array, level: float) -> Array:
    """Points that include both ends of every part of {c <= level}, and the extremes of c' in it.

    ``c`` must be bounded below.
    """
    x = np.concatenate([
        real_parts(added(c, np.array([-level]))), real_parts(derivative(derivative(c))),
        real_parts(derivative(c)),
    ])  # fmt: skip
    values = np.polyval(c, x)
    slack = 1e-10 * (np.abs(level) + np.abs(values).max(initial=0.0))
    return np.asarray(x[values <= level + slack], dtype=np.float64)


def range_of(c: Array, low: float, high: float) -> tuple[float, float]:
    """The smallest and largest value on an interval."""
    x = real_parts(derivative(c))
    values = np.polyval(c, np.concatenate([x[(x > low) & (x < high)], [low, high]]))
    return float(values.min()), float(values.max())


def taylor_coefficients(c: Array, centre: float) -> Array:
    """The coefficients of c(centre + u) in u."""
    shifted = np.array(trimmed(c), dtype=np.float64)
    for k in range(len(shifted) - 1):
        for j in range(1, len(shifted) - k):
            shifted[j] += centre * shifted[j - 1]
    return shifted
