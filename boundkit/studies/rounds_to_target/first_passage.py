"""First passage to a target: all replicas are simulated until each has reached it.

Only the target's observable is evaluated and no iterates are stored. A replica that diverges never reaches
the target; the others continue. The time is read off as in McMahan et al. 2017 (arXiv 1602.05629, section
3): the curve is made monotone by its best value so far and interpolated linearly between rounds, so that a
run that reaches the target between rounds 7 and 8 took 7.6 rounds, say, and a later relapse does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import as_like, to_numpy
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.problems.federated_data import as_tensors
from boundkit.simulation.problems.network import Network
from boundkit.simulation.run import Run
from boundkit.studies.rounds_to_target.query import Target

if TYPE_CHECKING:
    import torch


Array = NDArray[np.float64]
StoppingRule = Callable[[int, int], bool]
_POINTS = 4096
"""Test points, times replicas, that are evaluated in one batch."""


class Passage(StepEngine):
    """Step engine that stops when all replicas have reached the target."""

    def __init__(
        self, run: Run, network: Network, target: Target, replicas: int, dtype: str, device: str
    ) -> None:
        super().__init__(run, replicas, dtype, device, chunk=replicas)
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

    def _level(self, x: torch.Tensor) -> tuple[Array, NDArray[np.bool_]]:
        """The observable at x, (R, d), and whether it and x are finite: (R,) each."""
        level = evaluate(self.network, self.target.observable, x)
        finite = np.isfinite(to_numpy(x)).all(axis=-1) & np.isfinite(level)
        return np.where(finite, level, np.nan), finite


def evaluate(network: Network, observable: str, x: torch.Tensor) -> Array:
    """Evaluate ``test_accuracy`` or ``loss`` at x, (R, d): (R,)."""
    import torch

    if observable == "loss":
        p = torch.as_tensor(network.p, device=x.device)
        return np.asarray((network.losses(x).double() @ p).cpu().numpy())
    assert network.test is not None
    X, labels = as_tensors(*network.test, x)
    size, correct = max(1, _POINTS // len(x)), torch.zeros(len(x), dtype=torch.float64, device=x.device)
    for at in range(0, len(X), size):
        batch = slice(at, at + size)
        points = X[batch].expand(len(x), *X[batch].shape)
        is_correct = network.architecture.correct(
            x, points, labels[batch].expand(len(x), *labels[batch].shape)
        )
        correct += is_correct.double().sum(dim=-1)
    return np.asarray((correct / len(X)).cpu().numpy())  # in double: 324 of 360 points are 0.9, not less


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
