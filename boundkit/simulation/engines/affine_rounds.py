"""Affine maps of a run on quadratics without client state: client updates and the server step.

Client i works in the axes Q_i of its own Hessian, where coordinates do not mix. With s the server's
state (x, and a momentum buffer where there is one) it sends Q_i (sum_k G_ik * Q_i' s_k + g_i + noise of
variance N_i), for any number of local steps; * is by coordinate. The server's next state is
F s + K u with u the weighted sum, the same for every coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ClientOracle, Received, Round
from boundkit.simulation.arrays import Array, Clients
from boundkit.simulation.engines.affine_maps import (
    Affine,
    NotAffine,
    Tensors,
    apply_matrices,
    multiply,
    probe,
)
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.engines.local_step_moments import LocalMaps
from boundkit.simulation.engines.memory import refuse_maps
from boundkit.simulation.engines.stochastic_gradients import noiseless_oracle, refuse_parts
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run

_CACHED = 2**28
"""Most bytes of cached maps."""
_CLIENTS, _COORDINATES = 16, 64
"""Most clients, and most of their coordinates, whose updates are checked to be affine."""


@dataclass(frozen=True)
class OwnMaps:
    """In each client's own axes: G (m, d, K) over the K arrays of the state, g (m, d), N (m, d)."""

    G: Array
    g: Array
    N: Array


@dataclass(frozen=True)
class ClientMaps:
    """In common axes and for the centred state: G (m, *batch, o, s), g (m, *batch, o), N (m, *batch, o, o).

    Dense: batch (), o = d, s = K d. Diagonal: batch (d,), o = 1, s = K.
    """

    G: Array
    g: Array
    N: Array


class AffineRounds:
    """The affine maps of a run, computed once for each set of local steps.

    ``local_means``: whether the server takes the mean of the local models in place of its own step, so that a
    round leads to that mean.

    Raises BoundkitError where the problem is not quadratic, or the algorithm keeps client state.
    """

    def __init__(self, run: Run, local_means: bool = False) -> None:
        if not isinstance(run.problem, Quadratic):
            raise BoundkitError(
                f"the exact and collapsed engines need a quadratic problem, not {run.problem.kind}."
            )
        refuse_parts(run.problem)
        self.run, self.problem, self.local_means = run, run.problem, local_means
        self.m, self.d, self.diagonal = self.problem.m, self.problem.d, self.problem.diagonal
        if not run.algorithm.affine:
            raise NotAffine(f"a round of {run.algorithm.name} is not affine in its state.")
        if not run.algorithm.stateless:
            raise BoundkitError(
                f"a round of {run.algorithm.name} cannot be collapsed: it stores state of each client, "
                "or its server's step is not affine."
            )
        refuse_maps(run)
        self.oracle = noiseless_oracle(run, np.zeros(1))
        self.names = tuple(run.algorithm.start(np.zeros((1, self.d)), self.oracle))
        self.weighing = AggregationWeights(run)
        self._own: dict[bytes, OwnMaps] = {}
        self._common: dict[bytes, ClientMaps] = {}

    @property
    def size(self) -> int:
        """Length s of the state; per coordinate where coordinates do not mix."""
        return len(self.names) * (1 if self.diagonal else self.d)

    @cached_property
    def centre(self) -> Array:
        """The optimum as a state: (*batch, s)."""
        return self.state(self.problem.centre)

    def state(self, x: Array) -> Array:
        """The model x as a server state with zero in all other arrays; (*batch, s)."""
        rest = np.zeros((len(self.names) - 1, self.d))
        stacked = np.vstack([x, rest])
        return stacked.T.copy() if self.diagonal else stacked.ravel()

    def model(self, state: Array) -> Array:
        """The model in a state (..., *batch, s); (..., d)."""
        return state[..., 0] if self.diagonal else state[..., : self.d]

    def model_second(self, second: Array) -> Array:
        """The model's block of a second moment (..., *batch, s, s): (..., d) or (..., d, d)."""
        return second[..., 0, 0] if self.diagonal else second[..., : self.d, : self.d]

    @cached_property
    def server(self) -> tuple[Array, Array, Array]:
        """F (*batch, s, s), K (*batch, s, o) and f (*batch, s) of the centred state."""

        def step(inputs: Tensors) -> Tensors:
            alone = np.zeros(1, dtype=np.intp)
            rates = np.full(1, self.run.eta)
            one = Round(0, 1, alone, None, alone + 1, np.ones(1), rates, self.run.eta_s)
            state = {n: inputs[n][:, 0] for n in self.names}
            if self.local_means:
                after = {**state, "x": state["x"] - inputs["update"][:, 0]}
            else:
                after = self.run.algorithm.server_step(state, Received({"update": inputs["update"]}, one))
            return {n: after[n][:, None] for n in self.names}

        map_ = probe(step, (*self.names, "update"), 1, 1)
        A, c, k = map_.A[0, 0], map_.c[0, 0], len(self.names)
        if self.diagonal:
            F, K, f = (np.broadcast_to(part, (self.d, *part.shape)) for part in (A[:, :k], A[:, k:], c))
        else:
            eye = np.eye(self.d)
            F, K, f = np.kron(A[:, :k], eye), np.kron(A[:, k:], eye), np.repeat(c, self.d)
        return F, K, f + apply_matrices(F, self.centre) - self.centre

    def own(self, t: int) -> OwnMaps:
        """The update of each client after its local steps of round t, in its own axes."""
        key = self.run.steps_key(t)
        if key not in self._own:
            self._limit_cache(self._own, (len(self.names) + 2) * self.m * self.d)
            self._own[key] = self._after(self.run.steps(t), self.run.rates(t))
        return self._own[key]

    def clients(self, t: int) -> ClientMaps:
        """The same updates in common axes, as a map of the centred state."""
        key = self.run.steps_key(t)
        if key not in self._common:
            self._limit_cache(self._common, (len(self.names) + 2) * self.m * self.d * self.size)
            self._common[key] = self._in_common_axes(self.own(t))
        return self._common[key]

    @staticmethod
    def _limit_cache(cache: dict[bytes, Any], numbers: int) -> None:
        """Drop the cached maps of other rounds if ``numbers`` more would exceed the limit."""
        if 8 * numbers * (len(cache) + 1) > _CACHED:
            cache.clear()

    def _after(self, steps: NDArray[np.intp], rates: Array) -> OwnMaps:
        """The updates of all clients; in large problems some coordinates of some are checked to be affine."""
        shape, K, zero, clients = (self.m, self.d), len(self.names), np.zeros(1), np.arange(self.m)
        oracle = ClientOracle(
            self.problem.gradients(clients, zero, own_axes=True),
            self.problem.proximal(clients, zero, own_axes=True),
        )
        small = self.m <= _CLIENTS and self.d <= _COORDINATES
        first, last, maps = self._parts(clients, oracle, self.d, steps, rates, check=small)
        if not small:
            self._check_some(steps, rates)
        many, E, e = maps.many(steps, rates), first.A, first.c
        of_state, of_local = last.A[..., :K], last.A[..., K:]
        # updates are small relative to the model: subtract the model before D is added
        G = (of_state + multiply(of_local, E)) + multiply(of_local, multiply(many.D, E))
        moved = apply_matrices(many.D, e) + many.c
        g = (last.c + apply_matrices(of_local, e)) + apply_matrices(of_local, moved)
        N = multiply(multiply(of_local, many.V), np.swapaxes(of_local, -1, -2))
        return OwnMaps(
            np.broadcast_to(G[..., 0, :], (*shape, K)),
            np.broadcast_to(g[..., 0], shape),
            np.broadcast_to(N[..., 0, 0], shape),
        )

    def _check_some(self, steps: NDArray[np.intp], rates: Array) -> None:
        """Raise NotAffine where the updates of some clients are not affine in some coordinates."""
        clients, axes = (
            np.linspace(0, n - 1, min(n, most)).astype(np.intp)
            for n, most in ((self.m, _CLIENTS), (self.d, _COORDINATES))
        )
        h, e = (a[clients[:, None], axes] for a in (self.problem.spectrum, self.problem.own_centers))
        oracle = ClientOracle(lambda y: h * (y - e), lambda x, mu: (h * e + mu * x) / (h + mu))
        *_, maps = self._parts(clients, oracle, len(axes), steps[clients], rates, check=True)
        for rate in set(rates[: steps[clients].max()].tolist()):
            maps.one(rate)

    def _parts(
        self,
        clients: Clients,
        oracle: ClientOracle,
        d: int,
        steps: NDArray[np.intp],
        rates: Array,
        check: bool,
    ) -> tuple[Affine, Affine, LocalMaps]:
        """Start, message and local steps of a round, each evaluated by the algorithm's own functions.

        ``oracle``: of these clients, in ``d`` coordinates.
        """
        algorithm, zero, shape = self.run.algorithm, np.zeros(1), (len(clients), d)
        round = Round(0, self.m, clients, None, steps, zero, rates, self.run.eta_s)
        state = {n: v[:, :d] for n, v in algorithm.start(np.zeros((1, self.d)), self.oracle).items()}
        local_names = tuple(algorithm.local_start(state, round, oracle))

        def enter(inputs: Tensors) -> Tensors:
            return algorithm.local_start({n: v[:, 0] for n, v in inputs.items()}, round, oracle)

        def leave(inputs: Tensors) -> Tensors:
            state = {n: inputs[f"server {n}"][:, 0] for n in self.names}
            sent = algorithm.message(state, {n: inputs[n] for n in local_names}, round)
            return {"u": sent["update"]}

        return (
            probe(enter, self.names, *shape, check),
            probe(leave, (*(f"server {n}" for n in self.names), *local_names), *shape, check),
            LocalMaps(algorithm, oracle.gradient, local_names, shape, self.problem.deviation, check),
        )

    def _in_common_axes(self, own: OwnMaps) -> ClientMaps:
        Q = self.problem.basis
        if Q is None:
            g = own.g + apply_matrices(own.G[..., None, :], self.centre)[..., 0]
            return ClientMaps(own.G[..., None, :], g[..., None], own.N[..., None, None])
        back = np.swapaxes(Q, -1, -2)
        G = np.concatenate([(Q * own.G[:, None, :, k]) @ back for k in range(own.G.shape[-1])], axis=-1)
        g = apply_matrices(Q, own.g) + apply_matrices(G, self.centre)
        return ClientMaps(G, g, (Q * own.N[:, None, :]) @ back)
