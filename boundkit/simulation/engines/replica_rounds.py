"""Rounds of many replicas at once, each on its own random streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.extras import is_installed
from boundkit.simulation.algorithms import Algorithm, Received, Round, State
from boundkit.simulation.arrays import (
    AnyArray,
    Array,
    Clients,
    array_namespace,
    as_like,
    check_library,
    empty_array,
    required_torch,
    to_device,
)
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.engines.grouped_products import ClientAxes
from boundkit.simulation.engines.recorder import RoundRecorder
from boundkit.simulation.engines.stochastic_gradients import (
    StochasticGradients,
    loss_oracles,
    server_oracle,
    stochastic_gradients,
)
from boundkit.simulation.participation import Participants, SelectionContext
from boundkit.simulation.problems import Problem
from boundkit.simulation.random_streams import DRAWS, CounterStreams, Streams
from boundkit.simulation.run import Run

Tick = Callable[[float], object]
"""``tick(rounds)``: called after that many rounds of a chunk, which may be a fraction."""


class ReplicaRounds(ABC):
    """The rounds of a run, for ``replicas`` replicas; a subclass computes a round's local steps."""

    def __init__(
        self,
        run: Run,
        replicas: int,
        dtype: str,
        device: str,
        draws: str = "streams",
        arrays: str = "auto",
    ) -> None:
        if dtype not in ("float32", "float64"):
            raise BoundkitError(f"dtype must be float32 or float64, but it is {dtype!r}.")
        if draws not in DRAWS:
            raise unknown("kind of draws", draws, DRAWS)
        if draws == "counter" and (run.problem.batches is None or run.problem.batches.shuffled):
            raise BoundkitError(
                "draws by counter are those of mini-batches with independent points, which this problem does "
                "not have: take draws streams."
            )
        self.run, self.replicas, self.draws = run, replicas, draws
        self.further_settings: dict[str, Any] = {} if draws == "streams" else {"draws": draws}
        self.dtype = dtype
        self.arrays, self.device = resolve_arrays(arrays, device, run.problem)
        self.like = empty_array(self.arrays, dtype, self.device)
        self.weighing = AggregationWeights(run)
        self.axes = None if run.problem.basis is None else ClientAxes(run.problem.basis, self.like)
        self.tick: Tick = lambda t: None
        self._factors: dict[bytes, tuple[AnyArray, float | None]] = {}

    @cached_property
    def _clients_stay_on_device(self) -> bool:
        """Whether clients that were drawn on the device are not needed on the host."""
        run, algorithm = self.run, self.run.algorithm
        plain = algorithm.stateless and algorithm.plain_steps and not algorithm.adds_clients
        planned = run.tau is None or type(algorithm).plan is not Algorithm.plan
        recorded = run.observes_local_steps or run.local_spread or run.participation.reports_losses
        return plain and not planned and not recorded and self.weighing.dependence(run.steps(0)) != "all"

    def states(self, first: int = 0, count: int | None = None) -> Iterator[tuple[int, State]]:
        """Each round t = 0, ..., T with the state before it, for the replicas ``first``, ...: all by default.

        Client state of a yielded state may change once the next is computed.
        ``recorder`` holds what is recorded inside the rounds, and ``tick(t)`` is called after each.
        """
        run, count = self.run, self.replicas if count is None else count
        streams = self.streams(first, count)
        self.recorder = RoundRecorder(run, count)
        state = self.begin(streams)
        context = SelectionContext(_unavailable, _unavailable, self.recorder.reported_losses)
        yield 0, state
        for t in range(run.rounds):
            context.losses, context.estimates = loss_oracles(run.problem, state["x"], streams)
            participants = run.participation.draw(t, streams, context)
            if not self._clients_stay_on_device:
                participants = participants.on_host()
            state = self.advance(t, state, participants, streams)
            self.tick(t + 1)
            yield t + 1, state

    def streams(self, first: int, count: int) -> Streams:
        """The streams of the replicas ``first``, ..., ``first + count - 1``."""
        if self.draws == "counter":
            return CounterStreams(self.run.seed, count, first, self.like)
        return Streams(self.run.seed, count, first)

    def begin(self, streams: Streams) -> State:
        """The state before round 0."""
        x0 = as_like(self.run.x0, self.like)
        x0 = array_namespace(x0).broadcast_to(x0, (streams.count, self.run.problem.d))
        noise = self.gradients(streams, 0, self.run.problem.m, np.arange(self.run.problem.m))
        return self.run.algorithm.start(x0, server_oracle(self.run, x0, noise))

    def advance(self, t: int, state: State, participants: Participants, streams: Streams) -> State:
        """The state after round t with these participating clients."""
        state, planned = self.plan(t, state)
        participants = self._with_added(state, participants)
        steps = _steps_of(planned, participants.clients)
        round = self.describe_round(t, participants, steps)
        if self.run.algorithm.random:
            round = replace(round, draws=_Draws(self, streams, participants))
        self.recorder.start_round(round)
        if participants.empty:
            after = self.run.algorithm.empty_round(state, round)
        else:
            after = self.round(round, state, participants, streams)
            nonempty = (
                None if participants.counts is None else np.atleast_1d(participants.counts.any(axis=-1))
            )
            if nonempty is not None and not nonempty.all():
                after = _state_where(nonempty, after, self.run.algorithm.empty_round(state, round))
        self.recorder.end_round(after)
        return after

    def plan(self, t: int, state: State) -> tuple[State, Clients]:
        """The state before round t and the local steps of all clients in it, (m,) or (R, m)."""
        return state, self.run.steps(t)

    def _with_added(self, state: State, participants: Participants) -> Participants:
        """The participating clients, where the server may select from the available ones."""
        algorithm, m = self.run.algorithm, self.run.problem.m
        if not algorithm.adds_clients:
            return participants
        sampled = _counted(participants, len(state["x"]), m)
        counts = algorithm.participation_counts(state, sampled)
        if participants.clients.ndim == 1 and np.array_equal(counts, sampled):
            return participants
        return Participants.from_counts(counts)

    def columns(self, participants: Participants) -> int:
        """Number of clients for which noise is drawn, independent of the other replicas of a chunk."""
        run = self.run
        differs = run.participation.ragged or (run.algorithm.adds_clients and participants.clients.ndim == 2)
        return run.problem.m if differs else participants.clients.shape[-1]

    def describe_round(self, t: int, participants: Participants, steps: Clients) -> Round:
        """Round t with these clients and their numbers of steps."""
        run, rates = self.run, self.run.rates(t)
        if isinstance(participants.clients, np.ndarray):
            w = self.weighing.weights(participants.clients, participants.counts, steps, rates)
            weights = as_like(to_device(w, self.like), self.like)
        else:
            weights = self._weights_on_device(t, participants.clients)
        return Round(
            t,
            run.problem.m,
            participants.clients,
            participants.counts,
            steps,
            weights,
            rates,
            run.eta_s,
            in_place=True,
        )

    def _weights_on_device(self, t: int, clients: AnyArray) -> AnyArray:
        """The aggregation weights of clients, (R, n), that were drawn on the device."""
        key, run = self.run.steps_key(t), self.run
        if key not in self._factors:
            v, total = self.weighing.factors(clients.shape[-1], run.steps(t), run.rates(t))
            self._factors = {key: (to_device(v, self.like), total)}
        of_all, total = self._factors[key]
        xp, own = array_namespace(of_all), of_all[clients]
        weights = own if total is None else own * (total / xp.sum(own, axis=-1, keepdims=True))
        return as_like(weights, self.like)

    def gradients(
        self, streams: Streams, steps: int, columns: int, clients: Clients
    ) -> StochasticGradients | None:
        """The stochastic gradients of a round, drawn for ``columns`` clients; None if exact."""
        return stochastic_gradients(self.run.problem, streams, clients, steps, columns, self.like)

    def normal(self, streams: Streams, *shape: int) -> AnyArray:
        """Standard normals of shape (R, *shape), at the precision and on the device of the run."""
        kind = np.float64 if self.like.dtype.itemsize == 8 else np.float32
        return to_device(streams.normal(*shape, dtype=kind), self.like)

    def receive(self, state: State, sent: dict[str, AnyArray], round: Round) -> State:
        """The server's step on the clients' messages."""
        algorithm = self.run.algorithm
        return algorithm.server_step(state, Received(algorithm.transmitted(sent, round), round))

    @abstractmethod
    def round(self, round: Round, state: State, participants: Participants, streams: Streams) -> State:
        """The state after the round of these participating clients (at least one in some replica)."""


class _Draws:
    """The algorithm's own random numbers of a round, drawn for as many clients as any replica may have.

    Normal numbers are drawn once a round, so that a round that is empty in some replicas uses the same ones.
    """

    def __init__(self, rounds: ReplicaRounds, streams: Streams, participants: Participants) -> None:
        self.streams, self.like = streams, rounds.like
        self._normal: AnyArray | None = None
        self.columns, self.n = rounds.columns(participants), participants.clients.shape[-1]

    def uniform_of_clients(self, d: int) -> AnyArray:
        drawn = self.streams.uniform(self.columns, d, purpose="algorithm")
        return as_like(drawn[:, : self.n], self.like)

    def normal(self, d: int) -> AnyArray:
        if self._normal is None:
            self._normal = as_like(self.streams.normal(d, purpose="algorithm"), self.like)
        return self._normal


def _unavailable(batch: int = 1) -> Array:
    raise BoundkitError("no model has been evaluated yet.")


def _steps_of(steps: Clients, clients: Any) -> Clients:
    """The steps of the participating clients: (m,) or (R, m) to (n,) or (R, n)."""
    if not isinstance(clients, np.ndarray):  # drawn on a device, where all steps are equal
        return steps[: clients.shape[-1]]
    if steps.ndim == 1:
        return steps[clients]
    taken = np.broadcast_to(clients, (len(steps), clients.shape[-1]))
    return np.take_along_axis(steps, taken, axis=1)


def _counted(participants: Participants, replicas: int, m: int) -> Clients:
    """Number of times each client participates, (R, m)."""
    shape = replicas, participants.clients.shape[-1]
    times = 1 if participants.counts is None else participants.counts
    counts = np.zeros((replicas, m), dtype=np.intp)
    np.put_along_axis(
        counts, np.broadcast_to(participants.clients, shape), np.broadcast_to(times, shape), axis=1
    )
    return counts


def _state_where(nonempty: NDArray[np.bool_], after: State, unchanged: State) -> State:
    """The state after the round where some client participates, that of an empty round elsewhere."""
    xp, mask = array_namespace(after["x"]), to_device(nonempty, after["x"])
    return {n: xp.where(mask.reshape(-1, *(1,) * (v.ndim - 1)), v, unchanged[n]) for n, v in after.items()}


def resolve_device(device: str) -> str:
    """Resolve the device: cpu, cuda, or for auto the better of the available ones.

    Raises BoundkitError for cuda where there is none.
    """
    if device not in ("cpu", "cuda", "auto"):
        raise BoundkitError(f"device must be cpu, cuda or auto, but it is {device!r}.")
    if device == "cpu" or (device == "auto" and not is_installed("torch")):
        return "cpu"
    torch = required_torch("device cuda")
    if device == "cuda" and not torch.cuda.is_available():
        raise BoundkitError("device cuda was requested, but torch finds no GPU here; use cpu or auto.")
    return "cuda" if torch.cuda.is_available() else "cpu"


def resolve_arrays(arrays: str, device: str, problem: Problem) -> tuple[str, str]:
    """Resolve the library of the arrays of a run, numpy or torch, and its device.

    ``auto`` is torch on a GPU and where the problem needs it, else numpy. Raises BoundkitError where the
    library does not serve the device, or is not installed.
    """
    check_library(arrays)
    place = "cpu" if (arrays, device) == ("numpy", "auto") else resolve_device(device)
    if arrays == "numpy" and place != "cpu":
        raise BoundkitError(f"device {place} needs arrays of torch: take arrays auto or torch, not numpy.")
    if arrays == "auto":
        arrays = "torch" if place != "cpu" or problem.needs_torch else "numpy"
    return arrays, place
