"""The step engine: every local step of every client, on any problem with any algorithm.

Where a problem gives its clients axes of their own (the eigenvectors of a dense Hessian), clients that
take several steps take them there: a gradient then costs d products instead of d^2. The rotation changes
neither the iterates nor the distribution of the noise. Without noise, many local steps on quadratics are
computed by powers of one step's map; the iterates agree up to rounding.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.algorithms import Local, Round, State
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace, as_like, to_device
from boundkit.simulation.engines.affine_maps import NotAffine
from boundkit.simulation.engines.grouped_products import PairsByClient
from boundkit.simulation.engines.local_step_moments import LocalMaps
from boundkit.simulation.engines.local_steps import fused_updates, is_worth_loading, take_local_steps
from boundkit.simulation.engines.memory import is_out_of_memory
from boundkit.simulation.engines.sampled_engine import SampledEngine
from boundkit.simulation.engines.stochastic_gradients import (
    Minibatches,
    StochasticGradients,
    client_oracle,
    server_oracle,
)
from boundkit.simulation.participation import Participants
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run

_WORTH_ROTATING = 3
"""Local steps from which two rotations cost less than the matrix products they save."""
_REPORTED = 512
"""Local steps between two reports of progress."""
_MANY = 10_000
"""Local steps without noise on quadratics from which powers of one step's map are used."""


class StepEngine(SampledEngine):
    """Steps all clients of all replicas of a chunk at once; clients with fewer steps stay fixed.

    ``fused``: whether rounds that the fused kernel serves are computed by it.
    """

    name = "step"

    def __init__(self, run: Run, *args: Any, fused: bool = True, **options: Any) -> None:
        super().__init__(run, *args, **options)
        self.fused = fused
        self._maps: dict[tuple[str, ...], LocalMaps] = {}

    def plan(self, t: int, state: State) -> tuple[State, Clients]:
        run = self.run
        return run.algorithm.plan(state, t, run.steps(t), server_oracle(run, state["x"], None))

    def round(self, round: Round, state: State, participants: Participants, streams: Streams) -> State:
        run, algorithm, most = self.run, self.run.algorithm, int(self.run.steps(round.t).max())
        columns = self.columns(participants)
        at_start = self.gradients(streams, 0, columns, participants.clients)
        oracle = client_oracle(run.problem, participants.clients, state["x"], at_start)
        local = algorithm.local_start(state, round, oracle)
        gradients = self.gradients(streams, most, columns, participants.clients)
        if self.fused and isinstance(gradients, Minibatches) and not self._observes_steps:
            updates = self._fused_updates(state, local, round, gradients)
            if updates is not None:
                self.further_settings["fused"] = True
                return self.receive(state, {"update": updates}, round)
        if not self._rotates(most):  # over all clients: must not depend on the chunk
            local = self._local_steps(state, local, round, gradients, own_axes=False)
        else:
            pairs, axes = PairsByClient(participants.clients, streams.count, self.like), self.axes
            assert axes is not None
            local = {n: axes.into(v, pairs) if self._vector(v) else v for n, v in local.items()}
            local = self._local_steps(state, local, round, gradients, own_axes=True)
            local = {n: axes.back(v, pairs) if self._vector(v) else v for n, v in local.items()}
        return self.receive(state, algorithm.message(state, local, round), round)

    def _fused_updates(
        self, state: State, local: Local, round: Round, batches: Minibatches
    ) -> AnyArray | None:
        """The updates of a round by the fused kernel; None where it does not serve, or cannot be compiled."""
        try:
            return fused_updates(self.run.algorithm, state, local, round, batches)
        except Exception as error:  # Triton's compilers have many, also RuntimeError and OSError
            if is_out_of_memory(error):
                raise
            self.fused = False
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            warnings.warn(
                f"single steps are taken, because the fused kernel fails here: {reason}", stacklevel=2
            )
            return None

    @cached_property
    def _compiled(self) -> bool:
        """Whether local steps may be compiled; independent of the chunk and of the processes."""
        return is_worth_loading(self.run, self.replicas)

    def _rotates(self, steps: int) -> bool:
        """Whether clients step in their own axes; observables inside a round need the common ones."""
        algorithm = self.run.algorithm
        plain = not self._observes_steps and self.run.problem.parts is None  # parts are in the common axes
        return self.axes is not None and algorithm.rotation_equivariant and plain and steps >= _WORTH_ROTATING

    @property
    def _observes_steps(self) -> bool:
        run = self.run
        return run.observes_local_steps or run.local_spread or run.participation.reports_losses

    def _vector(self, tensor: AnyArray) -> bool:
        return bool(tensor.ndim == 3 and tensor.shape[-1] == self.run.problem.d)

    def _local_steps(
        self,
        state: State,
        local: Local,
        round: Round,
        gradients: StochasticGradients | None,
        own_axes: bool,
    ) -> Local:
        """All local steps of a round."""
        if isinstance(gradients, Minibatches) and not self._observes_steps:
            return take_local_steps(self.run.algorithm, local, round, gradients, self._compiled)
        run, steps = self.run, round.steps
        if gradients is None and not self._observes_steps and (own_axes or run.problem.basis is None):
            after = self._steps_by_powers(local, round)
            if after is not None:
                return after
        equal = bool(np.ptp(steps) == 0)
        gradient = run.problem.gradients(round.clients, state["x"], own_axes=own_axes)
        for k in range(int(steps.max())):
            if self._observes_steps:
                self.recorder.observe_local_step(round, local["y"], k)
            g = gradient(local["y"]) if gradients is None else gradients.gradient(gradient, local["y"])
            after = run.algorithm.local_step(local, g, float(round.rates[k]))
            local = after if equal else _only(steps > k, after, local)
            if k % _REPORTED == _REPORTED - 1:
                self.tick(round.t + (k + 1) / len(round.rates))
        if gradients is not None:
            gradients.discard_rest()
        return local

    def _steps_by_powers(self, local: Local, round: Round) -> Local | None:
        """All local steps by powers of their affine maps; None where they are few or not affine.

        Each coordinate is treated separately, in the clients' own axes.
        """
        run, steps = self.run, round.steps
        linear = isinstance(run.problem, Quadratic) and run.algorithm.affine and is_constant(round.rates)
        if not linear or int(steps.max()) < _MANY or not all(map(self._vector, local.values())):
            return None
        try:
            maps = self._local_maps(tuple(local))
            powers = {int(tau): maps.power(round.eta, int(tau)) for tau in np.unique(steps)}
        except NotAffine:
            return None
        xp = array_namespace(self.like)
        z = xp.stack(xp.broadcast_arrays(*local.values()), axis=-1)
        after = z
        for tau, power in powers.items():
            D, c = (as_like(a[round.clients], self.like) for a in (power.D, power.c))
            taken = to_device(steps == tau, self.like)[..., None, None]
            after = xp.where(taken, z + (D @ z[..., None])[..., 0] + c, after)
        return {name: after[..., k] for k, name in enumerate(local)}

    def _local_maps(self, names: tuple[str, ...]) -> LocalMaps:
        if names not in self._maps:
            problem = self.run.problem
            gradient = problem.gradients(np.arange(problem.m), np.zeros(1), own_axes=True)
            self._maps[names] = LocalMaps(self.run.algorithm, gradient, names, (problem.m, problem.d))
        return self._maps[names]


def _only(active: NDArray[np.bool_], after: Local, before: Local) -> Local:
    """The new values of active clients, the old ones of the others."""
    xp, mask = array_namespace(after["y"]), to_device(active, after["y"])
    return {
        name: xp.where(mask.reshape(*mask.shape, *(1,) * (value.ndim - 2)), value, before[name])
        for name, value in after.items()
    }
