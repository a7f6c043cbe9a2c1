"""First passage to a target: all replicas are simulated until each has reached it.

Only the target's observable is evaluated and no iterates are stored. A replica that diverges never reaches
the target; the others continue. The time is read off as in McMahan et al. 2017 (arXiv 1602.05629, section
3): the curve is made monotone by its best value so far and interpolated linearly between rounds, so that a
run that reaches the target between rounds 7 and 8 took 7.6 rounds, say, and a later relapse does not count.

A replica that has not reached the target within the cap is right-censored at the cap. It is neither left out
nor counted as the cap: the median and the order statistics of its interval need its rank only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like, to_float64, to_numpy
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.problems.federated_data import as_tensors
from boundkit.simulation.problems.network import Network
from boundkit.simulation.run import Run
from boundkit.studies.rounds_to_target.query import Target

StoppingRule = Callable[[int, int], bool]
_POINTS = 4096
"""Test points, times replicas, that are evaluated in one batch."""


class FirstPassageEngine(StepEngine):
    """Step engine that stops when all replicas have reached the target."""

    def __init__(
        self,
        run: Run,
        network: Network,
        target: Target,
        replicas: int,
        dtype: str,
        device: str,
        arrays: str = "auto",
    ) -> None:
        super().__init__(run, replicas, dtype, device, chunk=replicas, arrays=arrays)
        self.network, self.target = network, target
        self.diverged = 0

    def levels(self, stop: StoppingRule = lambda t, late: False) -> Array:
        """The observable of every replica after rounds 0, 1, ..., (R, T' + 1); nan once it diverged.

        R is 1 where nothing is random. ``stop(t, late)``, evaluated after round t with the number of
        replicas that have not reached the target, ends the simulation where it is true. Replicas that do
        not fit in memory together are simulated in groups.
        """
        replicas = self.replicas if self.random else 1
        parts: list[Array] = []
        late = self.diverged = 0
        for first in range(0, replicas, self.chunk):
            part = self._group(first, min(self.chunk, replicas - first), late, stop)
            late += int((~self.target.met(part).any(axis=1)).sum())
            parts.append(part)
        longest = max(part.shape[1] for part in parts)
        padded = [np.pad(p, ((0, 0), (0, longest - p.shape[1])), constant_values=np.nan) for p in parts]
        return np.concatenate(padded)

    @np.errstate(over="ignore", invalid="ignore")  # a replica may diverge
    def _group(self, first: int, count: int, late: int, stop: StoppingRule) -> Array:
        reached, levels = np.zeros(count, dtype=bool), []
        for t, state in self.states(first, count):
            level, finite = self._level(state["x"])
            levels.append(level)
            reached |= self.target.met(level)
            if not (finite & ~reached).any() or stop(t, late + int((~reached).sum())):
                break
        self.diverged += int((~finite & ~reached).sum())
        return np.stack(levels, axis=1)

    def at_start(self) -> float:
        """The observable before the first round."""
        x0 = as_like(self.run.x0, self.like)
        return float(self._level(x0[None])[0][0])

    def _level(self, x: AnyArray) -> tuple[Array, NDArray[np.bool_]]:
        """The observable at x, (R, d), and whether it and x are finite: (R,) each."""
        level = evaluate(self.network, self.target.observable, x)
        finite = np.isfinite(to_numpy(x)).all(axis=-1) & np.isfinite(level)
        return np.where(finite, level, np.nan), finite


def evaluate(network: Network, observable: str, x: AnyArray) -> Array:
    """Evaluate ``test_accuracy`` or ``loss`` at x, (R, d): (R,)."""
    if observable == "loss":
        return to_float64(network.losses(x)) @ network.p
    assert network.test is not None
    xp, (X, labels) = array_namespace(x), as_tensors(*network.test, x)
    size, correct = max(1, _POINTS // len(x)), []
    for at in range(0, len(X), size):
        batch = (values[at : at + size] for values in (X, labels))
        points, own = (xp.broadcast_to(values, (len(x), *values.shape)) for values in batch)
        correct.append(xp.sum(network.architecture.correct(x, points, own), axis=-1, dtype=xp.float64))
    # in double: 324 of 360 points are 0.9, not less
    return np.asarray(to_float64(xp.stack(correct)).sum(axis=0) / len(X))


def cumulative_best(levels: Array, rises: bool) -> Array:
    """Best value of each curve up to every round, (..., T + 1); nan is ignored."""
    best = np.fmax if rises else np.fmin
    result: Array = best.accumulate(levels, axis=-1)
    return result


def crossing_time(levels: Array, target: float, rises: bool = True) -> float | None:
    """Time at which the curve of rounds 0, ..., T crosses the target, a real number; None if it does not.

    ``rises``: the target is reached from below, as an accuracy does, else from above, as a loss.

    >>> crossing_time(np.array([0.0, 0.5, 0.4, 0.9]), 0.7)
    2.5
    >>> crossing_time(np.array([2.0, 1.5]), 1.0, rises=False) is None
    True
    """
    best = cumulative_best(levels, rises)
    reached = best >= target if rises else best <= target
    if not reached.any():
        return None
    t = int(reached.argmax())
    if t == 0:
        return 0.0
    before, after = float(best[t - 1]), float(best[t])
    return t - 1 + (target - before) / (after - before)


@dataclass(frozen=True)
class CensoredMedian:
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


def median(rounds: Sequence[float | None], cap: float, level: float = 0.95) -> CensoredMedian:
    """Compute the median of the rounds, None where a replica took more than the cap.

    Of an even number it is the mean of the middle two; where the larger of them is censored, the median is at
    least the mean of the smaller and the cap.

    >>> median([10.0, None, 20.0], cap=100)
    CensoredMedian(value=20.0, censored=False, low=10.0, high=None, coverage=0.75)
    """
    finite: list[float] = sorted(r for r in rounds if r is not None)
    count = len(rounds)
    ordered = finite + [cap] * (count - len(finite))
    middle = ordered[(count - 1) // 2], ordered[count // 2]
    value, censored = sum(middle) / 2, count // 2 >= len(finite)
    if count == 1:
        return CensoredMedian(value, censored)
    k, coverage = ranks(count, level)
    high = None if count - k >= len(finite) else ordered[count - k]
    return CensoredMedian(value, censored, ordered[k - 1], high, coverage)


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


def speed_up(baseline: CensoredMedian, own: CensoredMedian) -> SpeedUp | None:
    """Compute the ratio of the baseline's rounds to the cell's; None where both are censored.

    >>> speed_up(CensoredMedian(100.0, False), CensoredMedian(25.0, False)).factor
    4.0
    >>> speed_up(CensoredMedian(300.0, True), CensoredMedian(25.0, False))
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
