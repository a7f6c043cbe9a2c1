"""The median of rounds over replicas, some of which never reached the target within the cap.

Such a replica is censored: all that is known is that it took more than the cap. It is not left out, and not
counted as the cap: a median, and the order statistics of its interval, need no more than its rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any


@dataclass(frozen=True)
class Median:
    """The median with an interval; where ``censored``, it is above ``value``, and no more is known.

    ``low`` and ``high`` are order statistics; a ``low`` that is censored is the cap, which it exceeds, and a
    ``high`` that is censored is None. ``coverage``: the chance that so drawn an interval holds the median of
    the law, whatever that is. Without an interval (one replica, or nothing random) all three are None.
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
    """k and the coverage of [k-th smallest, k-th largest] of so many: the shortest that reaches the level.

    P(it holds the median) >= 1 - 2 P(Binomial(count, 1/2) < k). Where even all of them do not reach the
    level, k = 1, and the coverage says how little that is.

    >>> ranks(6, 0.95)
    (1, 0.96875)
    >>> ranks(5, 0.95)
    (1, 0.9375)
    >>> ranks(20, 0.95)[0]
    6
    """
    below, k, coverage = 0, 1, 1 - 2 / 2**count
    for following in range(1, count // 2):
        below += comb(count, following - 1)
        at = 1 - 2 * (below + comb(count, following)) / 2**count
        if at < level:
            break
        k, coverage = following + 1, at
    return k, max(coverage, 0.0)


def median(rounds: Sequence[float | None], cap: float, level: float = 0.95) -> Median:
    """The median of the rounds, None where a replica took more than the cap.

    With an even number it is the mean of the middle two; where the larger of them is censored, the median is
    above the mean of the smaller and the cap.

    >>> median([10.0, None, 20.0], cap=100)
    Median(value=20.0, censored=False, low=10.0, high=None, coverage=0.75)
    """
    known: list[float] = sorted(r for r in rounds if r is not None)
    count = len(rounds)
    ordered = known + [cap] * (count - len(known))
    middle = ordered[(count - 1) // 2], ordered[count // 2]
    value, censored = sum(middle) / 2, count // 2 >= len(known)
    if count == 1:
        return Median(value, censored)
    k, coverage = ranks(count, level)
    high = None if count - k >= len(known) else ordered[count - k]
    return Median(value, censored, ordered[k - 1], high, coverage)


@dataclass(frozen=True)
class SpeedUp:
    """Rounds of the baseline over rounds of a cell: ``bound`` is "" or, where one is censored, ">" or "<".

    ``low`` and ``high``: quotients of the ends of the two intervals, None where an end is not known. Both
    intervals hold at once with a chance of at least 1 - 2 (1 - coverage), and then this one does.
    """

    factor: float
    bound: str
    low: float | None
    high: float | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"factor": self.factor, "bound": self.bound, "low": self.low, "high": self.high}


def speed_up(baseline: Median, own: Median) -> SpeedUp | None:
    """How many times fewer rounds; None where neither reached the target, so that nothing is known.

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
