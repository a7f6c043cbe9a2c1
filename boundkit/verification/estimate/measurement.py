"""A measured constant of a problem: its interval, the place of the measurement, and the method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant


@dataclass(frozen=True)
class MeasuredConstant:
    """``value`` in [``low``, ``high``], measured at ``where``; ``how`` describes method and interval."""

    value: float
    low: float
    high: float
    where: str
    how: str

    def cells(self) -> list[str]:
        """The row of a table: value, from, to, where and how."""
        return [f"{self.value:.6g}", f"{self.low:.6g}", f"{self.high:.6g}", self.where, self.how]

    def _repr_html_(self) -> str:
        from boundkit.report.html import html_table

        return html_table(COLUMNS, [self.cells()])

    def constant(self) -> Constant:
        """The value as an estimated constant, for a theorem.

        >>> MeasuredConstant(2.0, 1.9, 2.1, "x_0", "a measurement").constant()
        Constant(value=2.0, trust='estimated', how='a measurement; at x_0')
        """
        return Constant(self.value, "estimated", f"{self.how}; at {self.where}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON, with None for an infinite end."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        finite = {n: v if abs(v) < float("inf") else None for n, v in ends.items()}
        return {**finite, "where": self.where, "how": self.how}


COLUMNS = ["value", "from", "to", "measured at", "how"]
"""The header of the cells of a measured constant."""


class Estimates(dict[str, MeasuredConstant]):
    """Measured constants by keyword; a dict that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from boundkit.algebra.notation import ALPHABET
        from boundkit.report.html import html_table

        units = {n: str(ALPHABET[n].dimension) if n in ALPHABET else "" for n in self}
        rows = [[name, units[name], *constant.cells()] for name, constant in self.items()]
        return html_table(["constant", "unit", *COLUMNS], rows)


def exact_at_points(value: float, where: str, how: str) -> MeasuredConstant:
    """A constant that is exact at the points of its measurement."""
    return MeasuredConstant(value, value, value, where, how)


_ROUNDING = 1e-12


@dataclass(frozen=True)
class FittedLine:
    """y = intercept + slope x."""

    slope: float
    intercept: float


def envelope(x: Array, y: Array, least: float = 0.0) -> FittedLine:
    """The line above all points (x, y), with slope >= least and intercept >= 0, lowest in their mean.

    x and y: (n,), none negative. The mean height is linear in slope and intercept, so that the lowest line
    goes through two points, or has the least slope, or goes through 0.

    >>> envelope(np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.5, 3.0]))
    FittedLine(slope=0.25, intercept=2.25)
    """
    slopes = {least}
    slopes |= {(y[b] - y[a]) / (x[b] - x[a]) for a, b in combinations(range(len(x)), 2) if x[a] != x[b]}
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes |= set(np.where(x > 0, y / x, least).tolist())
    lines = [FittedLine(float(s), max(float((y - s * x).max()), 0.0)) for s in slopes if s >= least]
    heights = np.array([line.intercept + line.slope * float(x.mean()) for line in lines])
    lowest = [line for line, h in zip(lines, heights, strict=True) if h <= heights.min() * (1 + _ROUNDING)]
    return min(lowest, key=lambda line: line.slope)


def without_one(x: Array, y: Array, least: float = 0.0) -> list[FittedLine]:
    """The lines where one point is left out, each in turn; that of all points where there is one only."""
    if len(x) < 2:
        return [envelope(x, y, least)]
    keep = ~np.eye(len(x), dtype=bool)
    return [envelope(x[row], y[row], least) for row in keep]


def estimate_on_envelope(
    x: Array, y: Array, read: Callable[[FittedLine], float], where: str, how: str, least: float = 0.0
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
