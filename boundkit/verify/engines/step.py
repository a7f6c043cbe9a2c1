"""The step engine: every local step of every client, on any problem and any algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.verify.algorithms import Local, State
from boundkit.verify.engines.sampled import Sampled
from boundkit.verify.participation import Clients
from boundkit.verify.streams import Streams

if TYPE_CHECKING:
    import torch

_NOISE_BYTES = 8 * 2**20


class Step(Sampled):
    """Steps all clients of all replicas of a chunk at once; those that are done early wait."""

    name = "step"

    def round(self, t: int, state: State, clients: Clients, streams: Streams) -> State:
        run = self.run
        local = run.algorithm.enter(state, clients)
        gradient = run.problem.gradients(clients, state["x"])
        steps = run.steps(t)[clients]
        longest, even = int(steps.max()), bool(np.ptp(steps) == 0)
        noise = _Noise(self, streams, longest, clients.shape[-1]) if run.problem.noise else None
        for k in range(longest):
            g = gradient(local["y"])
            if noise is not None:
                g = g + noise.next()
            after = run.algorithm.local_step(local, g, run.eta)
            local = after if even else _only(steps > k, after, local, g)
        return self.receive(state, run.algorithm.leave(state, local), clients)


def _only(active: Clients, after: Local, before: Local, like: torch.Tensor) -> Local:
    """The new values of clients that still step, the old ones of those that are done."""
    import torch

    mask = torch.as_tensor(active, device=like.device)[..., None]
    return {name: torch.where(mask, value, before[name]) for name, value in after.items()}


class _Noise:
    """Gradient noise sigma/sqrt(d) N(0, I) a step, drawn in blocks; blocks do not change the numbers."""

    def __init__(self, engine: Step, streams: Streams, steps: int, clients: int) -> None:
        self.engine, self.streams, self.left, self.n = engine, streams, steps, clients
        self.scale = engine.run.problem.noise / engine.run.problem.d**0.5
        row = streams.count * clients * engine.run.problem.d * engine.dtype.itemsize
        self.size = max(1, _NOISE_BYTES // max(row, 1))
        self.block: torch.Tensor | None = None
        self.at = 0

    def next(self) -> torch.Tensor:
        """The noise of the next step, (R, n, d)."""
        if self.block is None or self.at == self.block.shape[1]:
            self.block, self.at = self._draw(min(self.size, self.left)), 0
            self.left -= self.block.shape[1]
        self.at += 1
        return self.block[:, self.at - 1]

    def _draw(self, steps: int) -> torch.Tensor:
        import torch

        kind = np.float64 if self.engine.dtype == torch.float64 else np.float32
        normals = self.streams.normal(steps, self.n, self.engine.run.problem.d, dtype=kind)
        normals *= self.scale
        return torch.as_tensor(normals, device=self.engine.device)
