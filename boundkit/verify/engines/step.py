"""The step engine: every local step of every client, on any problem and any algorithm.

Where a problem gives its clients axes of their own (the eigenvectors of a dense Hessian), clients that
take several steps take them there: a gradient then costs d products instead of d^2. Turning there and
back changes neither the iterates nor the law of the noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.verify.algorithms import Local, State
from boundkit.verify.engines.grouped import Grouped
from boundkit.verify.engines.sampled import Sampled
from boundkit.verify.participation import Clients
from boundkit.verify.streams import Streams

if TYPE_CHECKING:
    import torch

_NOISE_BYTES = 2**20
_WORTH_TURNING = 3
"""Local steps from which two turns are cheaper than the matrix products they save."""


class Step(Sampled):
    """Steps all clients of all replicas of a chunk at once; those that are done early wait."""

    name = "step"

    def round(self, t: int, state: State, clients: Clients, streams: Streams) -> State:
        algorithm, steps = self.run.algorithm, self.run.steps(t)
        local = algorithm.enter(state, clients)
        if self.axes is None or not algorithm.turns or steps.max() < _WORTH_TURNING:
            local = self._walk(state, local, clients, steps, streams, own_axes=False)
        else:
            pairs, axes = Grouped(clients, streams.count, self.device), self.axes
            local = {n: axes.into(v, pairs) for n, v in local.items()}
            local = self._walk(state, local, clients, steps, streams, own_axes=True)
            local = {n: axes.back(v, pairs) for n, v in local.items()}
        return self.receive(state, algorithm.leave(state, local), clients)

    def _walk(
        self, state: State, local: Local, clients: Clients, steps: Clients, streams: Streams, own_axes: bool
    ) -> Local:
        """All local steps of a round, ``steps`` by client.

        What a replica draws must not depend on which clients came to the others of its chunk: so noise is
        drawn for as many steps as any client takes, come or not.
        """
        run, most, steps = self.run, int(steps.max()), steps[clients]
        even = bool(np.ptp(steps) == 0)
        gradient = run.problem.gradients(clients, state["x"], own_axes=own_axes)
        noise = _Noise(self, streams, most, clients.shape[-1]) if run.problem.noise else None
        for k in range(int(steps.max())):
            g = gradient(local["y"])
            if noise is not None:
                g = g + noise.next()
            after = run.algorithm.local_step(local, g, run.eta)
            local = after if even else _only(steps > k, after, local)
        if noise is not None:
            noise.spend()
        return local


def _only(active: NDArray[np.bool_], after: Local, before: Local) -> Local:
    """The new values of clients that still step, the old ones of those that are done."""
    import torch

    mask = torch.as_tensor(active, device=after["y"].device)[..., None]
    return {name: torch.where(mask, value, before[name]) for name, value in after.items()}


class _Noise:
    """Gradient noise sigma/sqrt(d) N(0, I) a step, drawn in blocks; blocks do not change the numbers."""

    def __init__(self, engine: Step, streams: Streams, steps: int, clients: int) -> None:
        self.engine, self.streams, self.left = engine, streams, steps
        self.row = (clients, engine.run.problem.d)
        self.scale = engine.run.problem.noise / engine.run.problem.d**0.5
        bytes_a_step = streams.count * clients * engine.run.problem.d * engine.dtype.itemsize
        self.size = max(1, _NOISE_BYTES // bytes_a_step)
        self.block: torch.Tensor | None = None
        self.at = 0

    def next(self) -> torch.Tensor:
        """The noise of the next step, (R, n, d)."""
        if self.block is None or self.at == self.block.shape[1]:
            steps = min(self.size, self.left)
            self.block, self.at = self.engine.normal(self.streams, steps, *self.row), 0
            self.block *= self.scale
            self.left -= steps
        self.at += 1
        return self.block[:, self.at - 1]

    def spend(self) -> None:
        """Draw what is left, and drop it."""
        while self.left:
            steps = min(self.size, self.left)
            self.engine.normal(self.streams, steps, *self.row)
            self.left -= steps
