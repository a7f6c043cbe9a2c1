"""Base of the sampling engines: replicas in chunks, observed every round, stopped when not finite."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import shown
from boundkit.analysis.progress import Progress, reported
from boundkit.simulation.algorithms import Received, Round, State
from boundkit.simulation.arrays import Array, Clients
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.engines.grouped_products import Axes
from boundkit.simulation.engines.local_steps import pairs_in_a_block
from boundkit.simulation.engines.loss_estimates import loss_oracles
from boundkit.simulation.engines.memory import (
    clients_per_round,
    estimate_memory,
    fitting_chunk,
    free_bytes,
    is_out_of_memory,
    recordable_chunk,
)
from boundkit.simulation.engines.oracles import server_oracle
from boundkit.simulation.engines.recorder import RoundRecorder, refuse_unobserved_start
from boundkit.simulation.engines.stochastic_gradients import StochasticGradients, stochastic_gradients
from boundkit.simulation.participation import Participants, SelectionContext
from boundkit.simulation.processes import one_thread, run_in_workers
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Outcome, Trajectory

if TYPE_CHECKING:
    import torch

Tick = Callable[[float], object]
"""``tick(rounds)``: called after that many rounds of a chunk, which may be a fraction."""
_CHUNK_BYTES = 4 * 2**20
"""Largest size of one tensor (replicas, clients, parameters) of a chunk: about the capacity of a cache."""
_LARGE_CHUNK = 16
"""Most replicas of a large problem in a chunk on a CPU, so that there are chunks for all processes."""
_MANY_STEPS = 1000
"""Local steps of a round above which progress is reported within rounds."""


class SampledEngine(ABC):
    """Runs replicas, each on its own random streams, in chunks that affect only the speed."""

    name: ClassVar[str]
    least_chunk: ClassVar[int] = 1

    def __init__(
        self,
        run: Run,
        replicas: int = 1,
        dtype: str = "float64",
        device: str = "cpu",
        chunk: int | None = None,
        jobs: int = 1,
    ) -> None:
        import torch

        if dtype not in ("float32", "float64"):
            raise BoundkitError(f"dtype must be float32 or float64, but it is {dtype!r}.")
        refuse_unobserved_start(run)
        self.run, self.replicas = run, replicas
        self.dtype, self.device = getattr(torch, dtype), resolve_device(device)
        self.weighing = AggregationWeights(run)
        self.axes = None if run.problem.basis is None else Axes(run.problem.basis, self.dtype, self.device)
        self.jobs = jobs
        self.tick: Tick = lambda t: None
        self.chunk = fitting_chunk(run, chunk or self._usual_chunk(), self.dtype.itemsize, self.device, jobs)

    def _usual_chunk(self) -> int:
        """As many replicas as a cache stores; those of a large problem are stepped in blocks."""
        problem = self.run.problem
        if problem.large and self.run.algorithm.settings.get("wait"):
            return 1  # replicas begin at rounds of their own
        if problem.large:
            return self._large_chunk()
        row = problem.m * problem.d * self.dtype.itemsize
        return int(min(self.replicas, max(self.least_chunk, _CHUNK_BYTES // max(row, 1))))

    def _large_chunk(self) -> int:
        """All replicas on a GPU; on a CPU as many as fill a block, in chunks of similar size.

        Independent of the number of processes, so that results agree bit by bit.
        """
        if self.device != "cpu":
            return self.replicas
        fill = -(-pairs_in_a_block(self.run.problem.d, self.dtype.itemsize) // clients_per_round(self.run))
        chunks = -(-self.replicas // min(fill, _LARGE_CHUNK))
        return -(-self.replicas // chunks)

    @property
    def random(self) -> bool:
        """Whether two replicas would differ."""
        return self.run.problem.stochastic or self.run.participation.random

    def trajectory(self, progress: Progress | None = None) -> Trajectory:
        """All replicas; ``progress(done, total)`` is called after each round of each chunk."""
        replicas = self.replicas if self.random else 1
        if self.run.until is None:
            self.chunk = recordable_chunk(self.run, replicas, self.chunk, self.jobs)
        chunks = [(at, min(self.chunk, replicas - at)) for at in range(0, replicas, self.chunk)]
        if self.run.until is not None and len(chunks) > 1:
            raise BoundkitError(
                f"a run that ends at a level has all its replicas in one chunk, but there are {len(chunks)}: "
                f"take chunk = {replicas}."
            )
        parts: list[_Part] = []
        points: dict[str, Array] = {}
        with reported(self._title, progress) as report:
            for part in self._parts(chunks, replicas, report):
                for name, total in part.points.items():
                    end = min(len(total), len(points.get(name, total)))
                    points[name] = points[name][:end] + total[:end] if name in points else total
                parts.append(replace(part, points={}))  # only the sum of large vectors is stored
        end = min(len(part.rounds) for part in parts)
        means = {name: total[:end] / replicas for name, total in points.items()}
        ends = {part.outcome for part in parts}
        outcome: Outcome = "diverged" if "diverged" in ends else "waiting" if "waiting" in ends else "done"
        rounds = parts[0].rounds[:end]
        after = next((t for t in range(rounds[-1] + 1, self.run.rounds + 1) if self.run.observes(t)), None)
        path = parts[0].path
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=means.pop(""),
            models=means,
            random=self.random,
            observed={n: np.concatenate([p.observed[n][:, :end] for p in parts]) for n in parts[0].observed},
            outcome=outcome,
            diverged_at=after if outcome == "diverged" else None,
            settings={
                "device": self.device,
                "dtype": str(self.dtype).split(".")[1],
                "chunk": min(self.chunk, *(part.chunk for part in parts)),
            },
            observed_at=None if self.run.every == 1 else tuple(rounds),
            path=None if path is None else path[:end],
        )

    def _parts(self, chunks: list[tuple[int, int]], replicas: int, progress: Progress) -> Iterator[_Part]:
        """Run the chunks, here or in worker processes; a chunk that does not fit is run in halves."""
        total, wanted = replicas * self.run.rounds, self.chunk
        size = wanted
        for part in self._computed(chunks, total, progress):
            if part.chunk < size:
                size = part.chunk
                warnings.warn(
                    f"{wanted} replicas at a time did not fit in memory; they are run {size} at a time.",
                    stacklevel=4,
                )
            yield part

    def _computed(self, chunks: list[tuple[int, int]], total: int, progress: Progress) -> Iterator[_Part]:
        if self.jobs == 1 or len(chunks) == 1:
            unit = self._unit
            for first, count in chunks:
                before = first * self.run.rounds * unit
                yield from self._whole(
                    first, count, partial(_report, progress, before, count * unit, total * unit)
                )
            return
        done = 0
        results = run_in_workers(_run_in_worker, [(self, chunk) for chunk in chunks], self.jobs)
        for (_, count), parts in zip(chunks, results, strict=True):
            done += count
            _report(progress, 0, done, total, self.run.rounds)
            yield from parts

    @property
    def _unit(self) -> int:
        """Number of parts of a round in which progress is reported: its local steps where there are many."""
        most = int(self.run.local_steps.max())
        return most if most > _MANY_STEPS else 1

    def _whole(self, first: int, count: int, tick: Tick) -> Iterator[_Part]:
        """Run one chunk in pieces that fit: where memory runs out, the pieces are halved from then on.

        Raises BoundkitError, with the numbers, where not even one replica fits.
        """
        at = first
        while at < first + count:
            size = min(self.chunk, first + count - at)
            try:
                part = self._chunk(at, size, tick)
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                self._halve(size)
                continue
            yield part
            at += size

    def _halve(self, size: int) -> None:
        """Halve the pieces and release the memory of the failed one."""
        import torch

        self.recorder = RoundRecorder(self.run, 0)
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        if size == 1:
            takes, free = estimate_memory(self.run, self.dtype.itemsize), free_bytes(self.device)
            raise BoundkitError(
                f"memory ran out with one replica in flight, which needs about {shown(takes.of(1))} by "
                f"estimate, while {shown(free)} is free on {self.device}; use a smaller model, fewer "
                "clients a round, smaller mini-batches, or float32."
            )
        self.chunk = -(-size // 2)

    @np.errstate(over="ignore", invalid="ignore")  # a run that diverges is an outcome, not a warning
    def _chunk(self, first: int, count: int, tick: Tick) -> _Part:
        with one_thread(self.run.problem.large):
            return self._replicas(first, count, tick)

    def states(self, first: int = 0, count: int | None = None) -> Iterator[tuple[int, State]]:
        """Each round t = 0, ..., T with the state before it, for the replicas ``first``, ...: all by default.

        ``recorder`` holds what is recorded inside the rounds, and ``tick(t)`` is called after each.
        """
        run, count = self.run, self.replicas if count is None else count
        streams = Streams(run.seed, count, first)
        self.recorder = RoundRecorder(run, count)
        state = self.begin(streams)
        context = SelectionContext(_unavailable, _unavailable, self.recorder.reported_losses)
        yield 0, state
        for t in range(run.rounds):
            context.losses, context.estimates = loss_oracles(run.problem, state["x"], streams)
            state = self.advance(t, state, run.participation.draw(t, streams, context), streams)
            self.tick(t + 1)
            yield t + 1, state

    def _replicas(self, first: int, count: int, tick: Tick) -> _Part:
        self.tick, broken = tick, False
        for t, state in self.states(first, count):
            if self.run.observes(t):
                if not self.recorder.observe(t, state):
                    broken = True
                    break
                if self.recorder.reached_target():
                    break
        points, observed, waiting = self.recorder.series()
        sums = {name: v.sum(axis=0) for name, v in points.items()}
        outcome: Outcome = "diverged" if broken else "waiting" if waiting else "done"
        rounds = self.recorder.rounds[: len(sums[""])]
        path = self.recorder.path if first == 0 else None
        return _Part(sums, observed, outcome, rounds, path, self.chunk)

    def tail_means(self, first: int) -> tuple[Array, dict[str, Array]]:
        """The mean of x_t over the rounds t > ``first``, (R, d), and of further models, per replica.

        Raises BoundkitError where the run diverges.
        """
        algorithm, rounds = self.run.algorithm, self.run.rounds
        sums: dict[str, Array] = {}
        with np.errstate(over="ignore", invalid="ignore"), reported(self._title) as report:
            self.tick = partial(_report, report, 0, self._unit, rounds * self._unit)
            for t, state in self.states():
                if t > first:
                    for name, x in {"": state["x"], **algorithm.models(state)}.items():
                        sums[name] = sums.get(name, 0) + x.double().cpu().numpy()
        means = {name: v / (rounds - first) for name, v in sums.items()}
        waiting = algorithm.waiting(state)
        if waiting is not None and bool(waiting.any()):
            raise BoundkitError("some run never begins: a client did not participate in any of its rounds.")
        if not np.isfinite(means[""]).all():
            raise BoundkitError("the run diverges, so it has no limit.")
        return means.pop(""), means

    @property
    def _title(self) -> str:
        return f"{self.run.algorithm.name}, {self.run.rounds:,} rounds"

    def begin(self, streams: Streams) -> State:
        """The state before round 0."""
        import torch

        x0 = torch.as_tensor(self.run.x0, dtype=self.dtype, device=self.device).expand(streams.count, -1)
        noise = self.gradients(streams, 0, self.run.problem.m, np.arange(self.run.problem.m))
        return self.run.algorithm.start(x0, server_oracle(self.run, x0, noise))

    def advance(self, t: int, state: State, here: Participants, streams: Streams) -> State:
        """The state after round t with these participating clients."""
        state, planned = self.plan(t, state)
        here = self._with_added(state, here)
        steps = _of(planned, here.clients)
        round = self.describe_round(t, here, steps)
        self.recorder.start_round(round)
        if here.empty:
            after = self.run.algorithm.empty_round(state, round)
        else:
            after = self.round(t, state, here, steps, streams)
            nonempty = None if here.counts is None else np.atleast_1d(here.counts.any(axis=-1))
            if nonempty is not None and not nonempty.all():
                after = _where(nonempty, after, self.run.algorithm.empty_round(state, round))
        self.recorder.end_round(after)
        return after

    def plan(self, t: int, state: State) -> tuple[State, Clients]:
        """The state before round t and the local steps of all clients in it, (m,) or (R, m)."""
        return state, self.run.steps(t)

    def _with_added(self, state: State, here: Participants) -> Participants:
        """The participating clients, where the server may select from the available ones."""
        algorithm, m = self.run.algorithm, self.run.problem.m
        if not algorithm.adds_clients:
            return here
        sampled = _counted(here, len(state["x"]), m)
        counts = algorithm.participation_counts(state, sampled)
        if here.clients.ndim == 1 and np.array_equal(counts, sampled):
            return here
        return Participants.from_counts(counts)

    def columns(self, here: Participants) -> int:
        """Number of clients for which noise is drawn, independent of the other replicas of a chunk."""
        run = self.run
        differs = run.participation.ragged or (run.algorithm.adds_clients and here.clients.ndim == 2)
        return run.problem.m if differs else here.clients.shape[-1]

    def describe_round(self, t: int, here: Participants, steps: Clients) -> Round:
        """Round t with these clients and their numbers of steps."""
        import torch

        run, rates = self.run, self.run.rates(t)
        w = self.weighing.weights(here.clients, here.counts, steps, rates)
        weights = torch.as_tensor(w, dtype=self.dtype, device=self.device)
        return Round(t, run.problem.m, here.clients, here.counts, steps, weights, rates, run.eta_s)

    def gradients(
        self, streams: Streams, steps: int, columns: int, clients: Clients
    ) -> StochasticGradients | None:
        """The stochastic gradients of a round, drawn for ``columns`` clients; None if exact."""
        import torch

        like = torch.empty(0, dtype=self.dtype, device=self.device)
        return stochastic_gradients(self.run.problem, streams, clients, steps, columns, like)

    def normal(self, streams: Streams, *shape: int) -> torch.Tensor:
        """Standard normals of shape (R, *shape), at the precision and on the device of the run."""
        import torch

        kind = np.float64 if self.dtype == torch.float64 else np.float32
        return torch.as_tensor(streams.normal(*shape, dtype=kind), device=self.device)

    def receive(self, state: State, sent: dict[str, torch.Tensor], round: Round) -> State:
        """The server's step on the clients' messages."""
        return self.run.algorithm.server_step(state, Received(sent, round))

    @abstractmethod
    def round(self, t: int, state: State, here: Participants, steps: Clients, streams: Streams) -> State:
        """The state after round t with these participating clients (at least one in some replica).

        ``steps``: their local steps, (n,) or (R, n).
        """


@dataclass(frozen=True)
class _Part:
    """A chunk: sums of points over its replicas, (T' + 1, d), and each observable, (count, T' + 1)."""

    points: dict[str, Array]
    observed: dict[str, Array]
    outcome: Outcome
    rounds: Sequence[int]
    path: Array | None
    chunk: int
    """The largest number of replicas in flight."""


def _run_in_worker(engine: SampledEngine, chunk: tuple[int, int]) -> list[_Part]:
    """Run a chunk in another process, on one thread."""
    with one_thread():
        return list(engine._whole(*chunk, lambda t: None))


def _unavailable(batch: int = 1) -> Array:
    raise BoundkitError("no model has been evaluated yet.")


def _of(steps: Clients, clients: Clients) -> Clients:
    """The steps of the participating clients: (m,) or (R, m) to (n,) or (R, n)."""
    if steps.ndim == 1:
        return steps[clients]
    taken = np.broadcast_to(clients, (len(steps), clients.shape[-1]))
    return np.take_along_axis(steps, taken, axis=1)


def _counted(here: Participants, replicas: int, m: int) -> Clients:
    """Number of times each client participates, (R, m)."""
    shape = replicas, here.clients.shape[-1]
    times = np.ones(shape, dtype=np.intp) if here.counts is None else np.broadcast_to(here.counts, shape)
    counts = np.zeros((replicas, m), dtype=np.intp)
    np.put_along_axis(counts, np.broadcast_to(here.clients, shape), times, axis=1)
    return counts


def _where(nonempty: NDArray[np.bool_], after: State, unchanged: State) -> State:
    """The state after the round where some client participates, that of an empty round elsewhere."""
    import torch

    here = torch.as_tensor(nonempty, device=after["x"].device)
    return {n: torch.where(here.reshape(-1, *(1,) * (v.ndim - 1)), v, unchanged[n]) for n, v in after.items()}


def _report(progress: Progress, done: int, count: int, total: int, t: float) -> None:
    progress(int(done + count * t), total)


def resolve_device(device: str) -> str:
    """Resolve the device: cpu, cuda, or for auto the better of the available ones.

    Raises BoundkitError for cuda where there is none.
    """
    import torch

    if device not in ("cpu", "cuda", "auto"):
        raise BoundkitError(f"device must be cpu, cuda or auto, but it is {device!r}.")
    if device == "cuda" and not torch.cuda.is_available():
        raise BoundkitError("device cuda was requested, but torch finds no GPU here; use cpu or auto.")
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
