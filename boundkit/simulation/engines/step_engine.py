"""The step engine: every local step of every client, on any problem and any algorithm.

Where a problem gives its clients axes of their own (the eigenvectors of a dense Hessian), clients that
take several steps take them there: a gradient then costs d products instead of d^2. Turning there and
back changes neither the iterates nor the law of the noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.algorithms import Local, Round, State
from boundkit.simulation.engines.grouped_products import Grouped
from boundkit.simulation.engines.local_steps import walked
from boundkit.simulation.engines.minibatches import Minibatches
from boundkit.simulation.engines.noise import Drawn
from boundkit.simulation.engines.oracles import ask, oracle
from boundkit.simulation.engines.sampled_engine import Sampled
from boundkit.simulation.participation import Attendance, Clients
from boundkit.simulation.random_streams import Streams

if TYPE_CHECKING:
    import torch

_WORTH_TURNING = 3
"""Local steps from which two turns are cheaper than the matrix products they save."""


class Step(Sampled):
    """Steps all clients of all replicas of a chunk at once; those that are done early wait."""

    name = "step"

    def plan(self, t: int, state: State) -> tuple[State, Clients]:
        run = self.run
        return run.algorithm.plan(state, t, run.steps(t), oracle(run, state["x"], None))

    def round(self, t: int, state: State, here: Attendance, steps: Clients, streams: Streams) -> State:
        run, algorithm = self.run, self.run.algorithm
        given, around = run.steps(t), self.around(t, here, steps)
        columns = self.columns(here)
        entering = self.noise(streams, 0, columns, here.clients)
        local = algorithm.enter(state, around, ask(run.problem, here.clients, state["x"], entering))
        noise = self.noise(streams, int(given.max()), columns, here.clients)
        turning = self._turning(int(given.max()))  # not of those who came: a chunk must not decide
        if not turning:
            local = self._walk(state, local, around, noise, own_axes=False)
        else:
            pairs, axes = Grouped(here.clients, streams.count, self.device), self.axes
            assert axes is not None
            local = {n: axes.into(v, pairs) if self._vector(v) else v for n, v in local.items()}
            local = self._walk(state, local, around, noise, own_axes=True)
            local = {n: axes.back(v, pairs) if self._vector(v) else v for n, v in local.items()}
        return self.receive(state, algorithm.leave(state, local, around), around)

    def _turning(self, steps: int) -> bool:
        """Whether clients step in their own axes; what is watched inside a round needs the common ones."""
        algorithm = self.run.algorithm
        plain = not self._watched and self.run.problem.parts is None  # parts are in the common axes
        return self.axes is not None and algorithm.turns and plain and steps >= _WORTH_TURNING

    @property
    def _watched(self) -> bool:
        run = self.run
        return run.looks_inside or run.local_spread or run.participation.listens

    def _vector(self, tensor: torch.Tensor) -> bool:
        return tensor.ndim == 3 and tensor.shape[-1] == self.run.problem.d

    def _walk(self, state: State, local: Local, around: Round, noise: Drawn | None, own_axes: bool) -> Local:
        """All local steps of a round."""
        if isinstance(noise, Minibatches) and not self._watched:
            return walked(self.run.algorithm, local, around, noise)
        run, steps = self.run, around.steps
        even = bool(np.ptp(steps) == 0)
        gradient = run.problem.gradients(around.clients, state["x"], own_axes=own_axes)
        for k in range(int(steps.max())):
            if self._watched:
                self.notes.inside(around, local["y"], k)
            g = gradient(local["y"]) if noise is None else noise.gradient(gradient, local["y"])
            after = run.algorithm.local_step(local, g, float(around.rates[k]))
            local = after if even else _only(steps > k, after, local)
        if noise is not None:
            noise.spend()
        return local


def _only(active: NDArray[np.bool_], after: Local, before: Local) -> Local:
    """The new values of clients that still step, the old ones of those that are done."""
    import torch

    mask = torch.as_tensor(active, device=after["y"].device)
    return {
        name: torch.where(mask.reshape(*mask.shape, *(1,) * (value.ndim - 2)), value, before[name])
        for name, value in after.items()
    }
