"""The lowest line that lies above all points: y <= intercept + slope x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.verification.estimate.measurement import MeasuredConstant

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x."""

    slope: float
    intercept: float


def envelope(x: Array, y: Array, least: float = 0.0) -> Line:
    """The line above all points (x, y), with slope >= least and intercept >= 0, lowest in their mean.

    x and y: (n,), none negative. The mean height is linear in slope and intercept, so that the lowest line
    goes through two points, or has the least slope, or goes through 0.

    >>> envelope(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.5, 3.0]))
    Line(slope=0.25, intercept=2.25)
    """
    slopes = {least}
    slopes |= {(y[b] - y[a]) / (x[b] - x[a]) for a, b in combinations(range(len(x)), 2) if x[a] != x[b]}
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes |= set(np.where(x > 0, y / x, least).tolist())
    lines = [Line(float(s), max(float((y - s * x).max()), 0.0)) for s in slopes if s >= least]
    heights = np.array([line.intercept + line.slope * float(x.mean()) for line in lines])
    lowest = [line for line, h in zip(lines, heights, strict=True) if h <= heights.min() * (1 + _ROUNDING)]
    return min(lowest, key=lambda line: line.slope)


def without_one(x: Array, y: Array, least: float = 0.0) -> list[Line]:
    """The lines where one point is left out, each in turn; that of all points where there is one only."""
    if len(x) < 2:
        return [envelope(x, y, least)]
    keep = ~np.eye(len(x), dtype=bool)
    return [envelope(x[row], y[row], least) for row in keep]


def estimate_on_envelope(
    x: Array, y: Array, read: Callable[[Line], float], where: str, how: str, least: float = 0.0
) -> MeasuredConstant:
    """A number of the envelope, with an interval over the envelopes that leave out one point each."""
    value = read(envelope(x, y, least))
    others = [read(line) for line in without_one(x, y, least)]
    return MeasuredConstant(value, min(value, *others), max(value, *others), where, how)


def regression(x: Array, y: Array) -> tuple[float, float, float] | None:
    """The least-squares slope with the ends of its 95 % interval; None for fewer than 3 different points."""
    if len(x) < 3 or np.ptp(x) == 0:
        return None
    from scipy.stats import linregress, t

    fit = linregress(x, y)
    margin = float(t.ppf(0.975, len(x) - 2)) * float(fit.stderr)
    return float(fit.slope), float(fit.slope) - margin, float(fit.slope) + margin
