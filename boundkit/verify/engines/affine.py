"""A run on quadratics as affine maps: what a client sends, what the server does, where both are centred.

With s the server's state (x, and a momentum buffer where there is one) less its centre, client i sends
G_i s + g_i + noise of covariance N_i, whatever its number of local steps; the server's next state is
F s + K u + f with u the weighted sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.algorithms import Received
from boundkit.verify.engines.probe import Affine, Array, Noisy, Tensors, probe
from boundkit.verify.engines.weighing import Weighing
from boundkit.verify.problems import Quadratic
from boundkit.verify.run import Run


@dataclass(frozen=True)
class ClientMaps:
    """G (m, *batch, o, s), g (m, *batch, o), N (m, *batch, o, o)."""

    G: Array
    g: Array
    N: Array


class AffineRun:
    """The affine maps of a run, made once for each set of local steps.

    Raises BoundkitError where the problem is not quadratic.
    """

    def __init__(self, run: Run) -> None:
        import torch

        problem = run.problem
        if not isinstance(problem, Quadratic):
            raise BoundkitError(f"the exact and collapsed engines need a quadratic problem, not {problem.kind}.")
        self.run, self.problem, self.diagonal = run, problem, problem.diagonal
        self.m, self.d = problem.m, problem.d
        self.names = tuple(run.algorithm.start(torch.zeros(1, problem.d, dtype=torch.float64)))
        self.weighing = Weighing(run)
        self._cache: dict[bytes, ClientMaps] = {}

    @property
    def size(self) -> int:
        """Length s of the state, for each coordinate where coordinates do not mix."""
        return len(self.names) * (1 if self.diagonal else self.d)

    @cached_property
    def centre(self) -> Array:
        """The optimum as a state: (*batch, s)."""
        return self.state(self.problem.centre)

    def state(self, x: Array) -> Array:
        """The model x as a server state with everything else at 0; (*batch, s)."""
        rest = np.zeros((len(self.names) - 1, self.d))
        stacked = np.vstack([x, rest])
        return stacked.T.copy() if self.diagonal else stacked.ravel()

    def model(self, state: Array) -> Array:
        """The model in a state (..., *batch, s); (..., d)."""
        return state[..., 0] if self.diagonal else state[..., : self.d]

    def model_second(self, second: Array) -> Array:
        """The model's part of a second moment (..., *batch, s, s): (..., d) or (..., d, d)."""
        return second[..., 0, 0] if self.diagonal else second[..., : self.d, : self.d]

    def clients(self, steps: NDArray[np.intp]) -> ClientMaps:
        """What each client sends after its number of steps, (m,), as a map of the centred state."""
        key = steps.tobytes()
        if key not in self._cache:
            self._cache[key] = self._client_maps(steps)
        return self._cache[key]

    @cached_property
    def server(self) -> tuple[Array, Array, Array]:
        """F (*batch, s, s), K (*batch, s, o) and f (*batch, s) of the centred state."""

        def step(inputs: Tensors) -> Tensors:
            update = inputs.pop("update")
            one = np.zeros(1, dtype=np.intp)
            received = Received(update, one, update.new_ones(1))
            after = self.run.algorithm.server_step({n: v[:, 0] for n, v in inputs.items()}, received, self.run.eta_s)
            return {n: after[n][:, None] for n in self.names}

        full = probe(step, (*self.names, "update"), 1, self.d, self.diagonal)
        A, c, s = full.A[0], full.c[0], self.size
        F, K = A[..., :s], A[..., s:]
        return F, K, c + _apply(F, self.centre) - self.centre

    @cached_property
    def _one_step(self) -> tuple[Affine, Noisy, Affine, Affine]:
        """How a client enters (from the state), steps once, and leaves (from the state and from its own)."""
        import torch

        run, everyone = self.run, np.arange(self.m)
        start = {n: torch.zeros(1, self.d, dtype=torch.float64) for n in self.names}
        local_names = tuple(run.algorithm.enter(start, everyone))
        gradient = self.problem.gradients(everyone, torch.zeros(1, dtype=torch.float64))

        def shape(function: object, names: tuple[str, ...]) -> Affine:
            return probe(function, names, self.m, self.d, self.diagonal)  # type: ignore[arg-type]

        def enter(inputs: Tensors) -> Tensors:
            return _by_client(lambda s, i: run.algorithm.enter(s, i), inputs, self.m)

        def step(inputs: Tensors) -> Tensors:
            return run.algorithm.local_step(inputs, gradient(inputs["y"].contiguous()), run.eta)

        def shake(inputs: Tensors) -> Tensors:
            still = {n: torch.zeros_like(inputs["noise"]) for n in local_names}
            return run.algorithm.local_step(still, inputs["noise"], run.eta)

        def leave_state(inputs: Tensors) -> Tensors:
            zero = {n: torch.zeros(1, 1, self.d, dtype=torch.float64) for n in local_names}
            return {"u": _by_client(lambda s, i: {"u": run.algorithm.leave(s, zero)}, inputs, self.m)["u"]}

        def leave_local(inputs: Tensors) -> Tensors:
            return {"u": run.algorithm.leave(start, inputs)}

        moved, B = shape(step, local_names), shape(shake, ("noise",)).A
        V = B @ np.swapaxes(B, -1, -2) * (self.problem.noise**2 / self.d)
        return shape(enter, self.names), Noisy(moved.A, moved.c, V), shape(leave_state, self.names), shape(
            leave_local, local_names
        )

    def _client_maps(self, steps: NDArray[np.intp]) -> ClientMaps:
        enter, step, leave_state, leave_local = self._one_step
        A, c, V = np.empty_like(step.A), np.empty_like(step.c), np.empty_like(step.V)
        for tau in np.unique(steps):
            who = steps == tau
            many = Noisy(step.A[who], step.c[who], step.V[who]).power(int(tau))
            A[who], c[who], V[who] = many.A, many.c, many.V
        U = leave_local.A
        G = leave_state.A + U @ A @ enter.A
        g = leave_state.c + leave_local.c + _apply(U, _apply(A, enter.c) + c)
        return ClientMaps(G, g + _apply(G, self.centre), U @ V @ np.swapaxes(U, -1, -2))


def _apply(A: Array, v: Array) -> Array:
    return np.asarray((A @ v[..., None])[..., 0])


def _by_client(function: object, inputs: Tensors, m: int) -> Tensors:
    """Run a function of server states (R, d) on probes that are alike for all clients, (R, m, d)."""
    state = {n: v[:, 0] for n, v in inputs.items()}
    result: Tensors = function(state, np.arange(m))  # type: ignore[operator]
    return {n: v.expand(v.shape[0], m, v.shape[2]) for n, v in result.items()}
