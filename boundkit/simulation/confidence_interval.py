"""Confidence intervals of means over replicas, by Student's t distribution."""

from __future__ import annotations

from dataclasses import dataclass

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
    from scipy.special import stdtrit

    R = each.shape[0]
    return float(stdtrit(max(R - 1, 1), 0.5 + level / 2)) * standard_error(each)


def estimate_mean(each: Array, random: bool, level: float = 0.99) -> Estimate:
    """The mean over replicas, (R,), with its Student t interval."""
    mean, margin = float(each.mean(axis=0)), float(confidence_margin(each, random, level))
    return Estimate(mean, mean - margin, mean + margin, float(standard_error(each)) if random else 0.0)
