"""Confidence intervals of means over replicas, by Student's t distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import cos, exp, inf, lgamma, pi, sin, sqrt, tan

import numpy as np

from boundkit.simulation.arrays import Array


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval; exact where both ends equal the value."""

    value: float
    low: float
    high: float
    standard_error: float = 0.0

    def _repr_html_(self) -> str:
        from boundkit.report.html import notes

        inside = f" in [{self.low:.6g}, {self.high:.6g}]" if self.low < self.high else ", exact"
        return notes([f"{self.value:.6g}{inside}"])

    def scaled(self, factor: float) -> Estimate:
        """The number, both ends and the standard error, all times a factor that is not negative."""
        return Estimate(*(factor * v for v in (self.value, self.low, self.high, self.standard_error)))


def standard_error(series: Array) -> Array:
    """The standard error of the mean over replicas, (R, ...) to (...); infinite for one replica."""
    R, scale = series.shape[0], replica_scale(series)
    if R == 1:
        return np.full(series.shape[1:], np.inf)
    return np.asarray((series / scale).std(axis=0, ddof=1) / np.sqrt(R) * scale)


def replica_scale(series: Array) -> Array:
    """A power of two near the largest replica: sums and squares of a run about to diverge stay finite."""
    return np.asarray(np.ldexp(1.0, np.frexp(np.abs(series).max(axis=0))[1] - 1))


def confidence_margin(each: Array, random: bool, level: float) -> Array:
    """Half of the Student t interval of the mean over replicas, (R, ...) to (...); 0 if not random."""
    if not random:
        return np.zeros(each.shape[1:])
    return student_quantile(level, max(each.shape[0] - 1, 1)) * standard_error(each)


@cache
def student_quantile(level: float, dof: int) -> float:
    """The t with P(|X| <= t) = level under Student's distribution with ``dof`` degrees of freedom.

    With t = sqrt(dof) tan(angle) the probability is a finite sum of powers of the cosine (Abramowitz and
    Stegun, 26.7.3 and 26.7.4), concave in the angle, so that Newton's steps from 0 stay below the root.
    ``scipy.special`` has it too, but takes longer to import than most commands run.

    >>> round(student_quantile(0.99, 5), 6)
    4.032143
    """
    odd = dof % 2
    k = np.arange(1, (dof - odd) // 2, dtype=np.float64)
    ratios = (2 * k - 1 + odd) / (2 * k + odd)
    density = 2 / sqrt(pi) * exp(lgamma((dof + 1) / 2) - lgamma(dof / 2))  # at angle 0
    angle, step = 0.0, inf
    while step > 1e-15 * angle:
        c, s = cos(angle), sin(angle)
        powers = s * (1 + float(np.cumprod(ratios * c**2).sum()))
        probability = 2 / pi * (angle + c * powers * (dof > 1)) if odd else powers
        step = (level - probability) / (density * c ** (dof - 1))
        angle += step
    return sqrt(dof) * tan(angle)


def estimate_mean(each: Array, random: bool, level: float = 0.99) -> Estimate:
    """The mean over replicas, (R,), with its Student t interval."""
    mean, margin = float(each.mean(axis=0)), float(confidence_margin(each, random, level))
    return Estimate(mean, mean - margin, mean + margin, float(standard_error(each)) if random else 0.0)
