"""The median of rounds over replicas, some of which never reached the target within the cap.

Such a replica is right-censored at the cap. It is neither left out nor counted as the cap: the median and the
order statistics of its interval need its rank only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any


@dataclass(frozen=True)
class Median:
    """Median with an interval; where ``censored``, ``value`` is a lower bound.

    ``low`` and ``high`` are order statistics; a ``low`` that is censored is the cap, which it exceeds, and a
    ``high`` that is censored is None. ``coverage``: the probability that the interval contains the median of
    the distribution. Without an interval (one replica, or no randomness) all three are None.
    """

    value: float
    censored: bool
    low: float | None = None
    high: float | None = None
    coverage: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"median": self.value, "censored": self.censored, "low": self.low, "high": self.high,
                "coverage": self.coverage}  # fmt: skip


def ranks(count: int, level: float) -> tuple[int, float]:
    """Compute k and the coverage of the shortest interval [k-th smallest, k-th largest] of the given level.

    P(it contains the median) >= 1 - 2 P(Binomial(count, 1/2) < k). Where no k reaches the level, k = 1.

    >>> ranks(6, 0.95)
    (1, 0.96875)
    >>> ranks(5, 0.95)
    (1, 0.9375)
    >>> ranks(20, 0.95)[0]
    6
    """
    tail, k, coverage = 0, 1, 1 - 2 / 2**count
    for j in range(1, count // 2):
        tail += comb(count, j - 1)
        shorter = 1 - 2 * (tail + comb(count, j)) / 2**count
        if shorter < level:
            break
        k, coverage = j + 1, shorter
    return k, max(coverage, 0.0)


def median(rounds: Sequence[float | None], cap: float, level: float = 0.95) -> Median:
    """Compute the median of the rounds, None where a replica took more than the cap.

    Of an even number it is the mean of the middle two; where the larger of them is censored, the median is at
    least the mean of the smaller and the cap.

    >>> median([10.0, None, 20.0], cap=100)
    Median(value=20.0, censored=False, low=10.0, high=None, coverage=0.75)
    """
    finite: list[float] = sorted(r for r in rounds if r is not None)
    count = len(rounds)
    ordered = finite + [cap] * (count - len(finite))
    middle = ordered[(count - 1) // 2], ordered[count // 2]
    value, censored = sum(middle) / 2, count // 2 >= len(finite)
    if count == 1:
        return Median(value, censored)
    k, coverage = ranks(count, level)
    high = None if count - k >= len(finite) else ordered[count - k]
    return Median(value, censored, ordered[k - 1], high, coverage)


@dataclass(frozen=True)
class SpeedUp:
    """Rounds of the baseline over rounds of a cell: ``bound`` is "" or, where one is censored, ">" or "<".

    ``low`` and ``high``: quotients of the ends of the two intervals, None where an end is censored. The
    coverage is at least 1 - 2 (1 - coverage of one).
    """

    factor: float
    bound: str
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"factor": self.factor, "bound": self.bound, "low": self.low, "high": self.high}


def speed_up(baseline: Median, own: Median) -> SpeedUp | None:
    """Compute the ratio of the baseline's rounds to the cell's; None where both are censored.

    >>> speed_up(Median(100.0, False), Median(25.0, False)).factor
    4.0
    >>> speed_up(Median(300.0, True), Median(25.0, False))
    SpeedUp(factor=12.0, bound='>', low=None, high=None)
    """
    if baseline.censored and own.censored:
        return None
    bound = ">" if baseline.censored else "<" if own.censored else ""
    low = high = None
    if baseline.low is not None and own.high is not None:
        low = baseline.low / own.high
    if baseline.high is not None and own.low is not None:
        high = baseline.high / own.low
    return SpeedUp(baseline.value / own.value, bound, low, high)
