"""A walk of all replicas until each has reached its target: only the one observable is looked at.

No iterates are kept, and a replica that diverges is one that never arrives; the others walk on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines.recorder import Notes
from boundkit.simulation.engines.step_engine import Step
from boundkit.simulation.participation import Sight
from boundkit.simulation.problems.federated_data import as_tensors
from boundkit.simulation.problems.network import Network
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run
from boundkit.studies.rounds_to_target.cells import Target

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Hopeless = Callable[[int, int], bool]
_POINTS = 4096
"""Points, counted for each replica, that are looked at in one go."""


class Passage(Step):
    """The step engine, which stops when all have arrived."""

    def __init__(
        self, run: Run, network: Network, target: Target, replicas: int, dtype: str, device: str
    ) -> None:
        super().__init__(run, replicas, dtype, device, chunk=replicas)
        self.network, self.target = network, target
        self.diverged = 0

    def levels(self, hopeless: Hopeless = lambda t, late: False) -> Array:
        """The observable of every replica after rounds 0, 1, ..., (R, T' + 1); nan once it diverged.

        R is 1 where nothing is random. ``hopeless(t, late)``, asked after round t at which ``late`` replicas
        had surely not arrived, may end the walk. Where not all replicas fit in memory they walk in groups.
        """
        replicas = self.replicas if self.random else 1
        parts: list[Array] = []
        late = self.diverged = 0
        for first in range(0, replicas, self.chunk):
            part = self._group(first, min(self.chunk, replicas - first), late, hopeless)
            late += int((~self.target.met(part).any(axis=1)).sum())
            parts.append(part)
        longest = max(part.shape[1] for part in parts)
        padded = [np.pad(p, ((0, 0), (0, longest - p.shape[1])), constant_values=np.nan) for p in parts]
        return np.concatenate(padded)

    @np.errstate(over="ignore", invalid="ignore")  # a replica may diverge
    def _group(self, first: int, count: int, late: int, hopeless: Hopeless) -> Array:
        streams = Streams(self.run.seed, count, first)
        self.notes = Notes(self.run, count)
        state, sight = self.begin(streams), Sight(_unseen, _unseen, self.notes.heard)
        there, seen = np.zeros(count, dtype=bool), []
        for t in range(self.run.rounds + 1):
            level, finite = self._level(state["x"])
            seen.append(level)
            there |= self.target.met(level)
            if not (finite & ~there).any() or hopeless(t, late + int((~there).sum())):
                break
            if t < self.run.rounds:
                sight.losses, sight.estimates = self._losses(state, streams)
                state = self.advance(t, state, self.run.participation.draw(t, streams, sight), streams)
        self.diverged += int((~finite & ~there).sum())
        return np.stack(seen, axis=1)

    def at_start(self) -> float:
        """The observable before the first round."""
        import torch

        x0 = torch.as_tensor(self.run.x0, dtype=self.dtype, device=self.device)
        return float(self._level(x0[None])[0][0])

    def _level(self, x: torch.Tensor) -> tuple[Array, NDArray[np.bool_]]:
        """The observable at x, (R, d), and whether it and all of x are finite: (R,) each."""
        import torch

        found = observed(self.network, self.target.observable, x)
        finite = torch.isfinite(x).all(dim=-1).cpu().numpy() & np.isfinite(found)
        return np.where(finite, found, np.nan), finite


def observed(network: Network, observable: str, x: torch.Tensor) -> Array:
    """``test_accuracy`` or ``loss`` at x, (R, d), and nothing else: (R,)."""
    import torch

    if observable == "loss":
        p = torch.as_tensor(network.p, device=x.device)
        return np.asarray((network.losses(x).double() @ p).cpu().numpy())
    assert network.test is not None
    X, labels = as_tensors(*network.test, x)
    size, right = max(1, _POINTS // len(x)), torch.zeros(len(x), dtype=torch.float64, device=x.device)
    for at in range(0, len(X), size):
        some = slice(at, at + size)
        points = X[some].expand(len(x), *X[some].shape)
        answers = network.architecture.correct(x, points, labels[some].expand(len(x), *labels[some].shape))
        right += answers.double().sum(dim=-1)
    return np.asarray((right / len(X)).cpu().numpy())  # in double: 324 of 360 points are 0.9, not less


def _unseen(batch: int = 1) -> Array:
    raise BoundkitError("no model has been seen yet.")
