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
from boundkit.simulation.engines.aggregation_weights import Weighing
from boundkit.simulation.engines.grouped_products import Axes
from boundkit.simulation.engines.local_steps import pairs_in_a_block
from boundkit.simulation.engines.loss_estimates import glanced
from boundkit.simulation.engines.memory import (
    clients_per_round,
    fitting,
    free_bytes,
    is_out_of_memory,
    need,
    recordable,
)
from boundkit.simulation.engines.minibatches import Minibatches
from boundkit.simulation.engines.noise import BallNoise, Drawn, Noise
from boundkit.simulation.engines.oracles import server_oracle
from boundkit.simulation.engines.recorder import RoundRecorder, refuse_unseen_start
from boundkit.simulation.engines.shuffled_parts import ShuffledParts
from boundkit.simulation.engines.single_thread import one_thread
from boundkit.simulation.participation import Clients, Participants, SelectionContext
from boundkit.simulation.problems import Network
from boundkit.simulation.processes import run_in_workers
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Outcome, Trajectory

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Tick = Callable[[float], object]
"""``tick(rounds)``: called after that many rounds of a chunk, which may be a fraction."""
_CHUNK_BYTES = 4 * 2**20
"""Largest size of one tensor (replicas, clients, parameters) of a chunk: about the capacity of a cache."""
_LARGE_CHUNK = 16
"""Most replicas of a large problem in a chunk on a CPU, so that there are chunks for all processes."""
_MANY_STEPS = 1000
"""Local steps of a round above which progress is reported within rounds."""


class Sampled(ABC):
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
        refuse_unseen_start(run)
        self.run, self.replicas = run, replicas
        self.dtype, self.device = getattr(torch, dtype), chosen_device(device)
        self.weighing = Weighing(run)
        self.axes = None if run.problem.basis is None else Axes(run.problem.basis, self.dtype, self.device)
        self.jobs = jobs
        self.tick: Tick = lambda t: None
        self.chunk = fitting(run, chunk or self._usual_chunk(), self.dtype.itemsize, self.device, jobs)

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
            self.chunk = recordable(self.run, replicas, self.chunk, self.jobs)
        chunks = [(at, min(self.chunk, replicas - at)) for at in range(0, replicas, self.chunk)]
        if self.run.until is not None and len(chunks) > 1:
            raise BoundkitError(
                f"a run that ends at a level has all its replicas in one chunk, but there are {len(chunks)}: "
                f"take chunk = {replicas}."
            )
        parts: list[_Part] = []
        points: dict[str, Array] = {}
        with reported(f"{self.run.algorithm.name}, {self.run.rounds:,} rounds", progress) as tell:
            for part in self._parts(chunks, replicas, tell):
                for name, total in part.points.items():
                    end = min(len(total), len(points.get(name, total)))
                    points[name] = points[name][:end] + total[:end] if name in points else total
                parts.append(replace(part, points={}))  # a sum of large vectors is kept, not each
        end = min(len(part.rounds) for part in parts)
        means = {name: total[:end] / replicas for name, total in points.items()}
        ends = {part.outcome for part in parts}
        outcome: Outcome = "diverged" if "diverged" in ends else "waiting" if "waiting" in ends else "done"
        rounds = parts[0].rounds[:end]
        after = next((t for t in range(rounds[-1] + 1, self.run.rounds + 1) if self.run.looked_at(t)), None)
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
        said = wanted
        for part in self._computed(chunks, total, progress):
            if part.chunk < said:
                said = part.chunk
                warnings.warn(
                    f"{wanted} replicas at a time did not fit in memory; they are run {said} at a time.",
                    stacklevel=4,
                )
            yield part

    def _computed(self, chunks: list[tuple[int, int]], total: int, progress: Progress) -> Iterator[_Part]:
        if self.jobs == 1 or len(chunks) == 1:
            unit = self._unit
            for first, count in chunks:
                before = first * self.run.rounds * unit
                yield from self._whole(
                    first, count, partial(_tell, progress, before, count * unit, total * unit)
                )
            return
        done = 0
        results = run_in_workers(_elsewhere, [(self, chunk) for chunk in chunks], self.jobs)
        for (_, count), parts in zip(chunks, results, strict=True):
            done += count
            _tell(progress, 0, done, total, self.run.rounds)
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

        self.notes = RoundRecorder(self.run, 0)
        if self.device.startswith("cuda"):
            torch.cuda.empty_cache()
        if size == 1:
            takes, free = need(self.run, self.dtype.itemsize), free_bytes(self.device)
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

    def _replicas(self, first: int, count: int, tick: Tick) -> _Part:
        self.tick = tick
        run, streams = self.run, Streams(self.run.seed, count, first)
        self.notes = notes = RoundRecorder(run, count)
        state = self.begin(streams)
        context = SelectionContext(_unseen, _unseen, notes.reported_losses)
        broken = False
        for t in range(run.rounds + 1):
            if run.looked_at(t):
                if not notes.look(t, state):
                    broken = True
                    break
                if notes.reached():
                    break
            if t < run.rounds:
                context.losses, context.estimates = self._losses(state, streams)
                state = self.advance(t, state, run.participation.draw(t, streams, context), streams)
                tick(t + 1)
        points, observed, waits = notes.written()
        sums = {name: v.sum(axis=0) for name, v in points.items()}
        ending: Outcome = "diverged" if broken else "waiting" if waits else "done"
        rounds = notes.rounds[: len(sums[""])]
        path = notes.path if first == 0 else None
        return _Part(sums, observed, ending, rounds, path, self.chunk)

    def tails(self, first: int) -> tuple[Array, dict[str, Array]]:
        """The mean of x_t over the rounds from ``first`` on, (R, d), and of further models, per replica.

        Raises BoundkitError where the run diverges.
        """
        streams = Streams(self.run.seed, self.replicas, 0)
        self.notes = RoundRecorder(self.run, self.replicas)
        state, context = self.begin(streams), SelectionContext(_unseen, _unseen, self.notes.reported_losses)
        total: dict[str, Array] = {}
        what = f"{self.run.algorithm.name}, {self.run.rounds:,} rounds"
        with np.errstate(over="ignore", invalid="ignore"), reported(what) as tell:
            self.tick = partial(_tell, tell, 0, self._unit, self.run.rounds * self._unit)
            for t in range(self.run.rounds):
                self.tick(t)
                context.losses, context.estimates = self._losses(state, streams)
                state = self.advance(t, state, self.run.participation.draw(t, streams, context), streams)
                if t >= first:
                    for name, x in {"": state["x"], **self.run.algorithm.models(state)}.items():
                        total[name] = total.get(name, 0) + x.double().cpu().numpy()
        means = {name: v / (self.run.rounds - first) for name, v in total.items()}
        waiting = self.run.algorithm.waiting(state)
        if waiting is not None and bool(waiting.any()):
            raise BoundkitError("some run never begins: a client did not come in all its rounds.")
        if not np.isfinite(means[""]).all():
            raise BoundkitError("the run diverges, so it has no limit.")
        return means.pop(""), means

    def begin(self, streams: Streams) -> State:
        """The state before round 0."""
        import torch

        x0 = torch.as_tensor(self.run.x0, dtype=self.dtype, device=self.device).expand(streams.count, -1)
        noise = self.noise(streams, 0, self.run.problem.m, np.arange(self.run.problem.m))
        return self.run.algorithm.start(x0, server_oracle(self.run, x0, noise))

    def advance(self, t: int, state: State, here: Participants, streams: Streams) -> State:
        """The state after round t with these participating clients."""
        state, planned = self.plan(t, state)
        here = self._called(state, here)
        steps = _of(planned, here.clients)
        idle = self.around(t, here, steps)
        self.notes.begin(idle)
        if here.empty:
            after = self.run.algorithm.empty_round(state, idle)
        else:
            after = self.round(t, state, here, steps, streams)
            came = None if here.counts is None else np.atleast_1d(here.counts.any(axis=-1))
            if came is not None and not came.all():
                after = _where(came, after, self.run.algorithm.empty_round(state, idle))
        self.notes.end(after)
        return after

    def plan(self, t: int, state: State) -> tuple[State, Clients]:
        """The state before round t and the local steps of all clients in it, (m,) or (R, m)."""
        return state, self.run.steps(t)

    def _called(self, state: State, here: Participants) -> Participants:
        """The participating clients, where the server may select from the available ones."""
        algorithm, m = self.run.algorithm, self.run.problem.m
        if not algorithm.adds_clients:
            return here
        came = _counted(here, len(state["x"]), m)
        counts = algorithm.participation_counts(state, came)
        if here.clients.ndim == 1 and np.array_equal(counts, came):
            return here
        return Participants.from_counts(counts)

    def columns(self, here: Participants) -> int:
        """Number of clients for which noise is drawn, independent of the other replicas of a chunk."""
        run = self.run
        differs = run.participation.ragged or (run.algorithm.adds_clients and here.clients.ndim == 2)
        return run.problem.m if differs else here.clients.shape[-1]

    def around(self, t: int, here: Participants, steps: Clients) -> Round:
        """Round t with these clients and their numbers of steps."""
        import torch

        run, rates = self.run, self.run.rates(t)
        w = self.weighing.of(here.clients, here.counts, steps, rates)
        weights = torch.as_tensor(w, dtype=self.dtype, device=self.device)
        return Round(t, run.problem.m, here.clients, here.counts, steps, weights, rates, run.eta_s)

    def noise(self, streams: Streams, steps: int, columns: int, clients: Clients) -> Drawn | None:
        """Gradient noise for ``steps`` gradients of ``columns`` clients, used by the participating ones."""
        import torch

        problem, kept = self.run.problem, clients.shape[-1]
        if problem.batches is not None:
            return Minibatches(problem, clients, steps, columns, streams)
        if problem.parts is not None:
            like = torch.empty(0, dtype=self.dtype, device=self.device)
            return ShuffledParts(problem.parts, clients, steps, streams, like)
        if not problem.noise:
            return None
        bytes_a_step = streams.count * columns * problem.d * self.dtype.itemsize

        def draw(*shape: int) -> torch.Tensor:
            return self.normal(streams, *shape)

        shape = (steps, columns, problem.d)
        if problem.bounded:
            return BallNoise(draw, problem.noise, shape, bytes_a_step, kept)
        return Noise(draw, problem.deviation, shape, bytes_a_step, kept)

    def _losses(self, state: State, streams: Streams) -> tuple[Callable[[], Array], Callable[[int], Array]]:
        """F_i(x), (R, m), and its estimate from a mini-batch of a network's points; where clients have none,
        F_i(x) + xi'(x - centre), xi its noise."""
        problem, x = self.run.problem, state["x"]

        def losses() -> Array:
            return np.asarray(problem.losses(x).double().cpu().numpy())

        def estimates(batch: int) -> Array:
            if isinstance(problem, Network):
                return glanced(problem, x, batch, streams)
            away = x.double().cpu().numpy() - problem.centre
            xi = streams.glance(problem.m, problem.d) * (problem.deviation / batch**0.5)
            return np.asarray(losses() + (xi * away[:, None, :]).sum(axis=-1))

        return losses, estimates

    def normal(self, streams: Streams, *shape: int) -> torch.Tensor:
        """Standard normals of shape (R, *shape), at the precision and on the device of the run."""
        import torch

        kind = np.float64 if self.dtype == torch.float64 else np.float32
        return torch.as_tensor(streams.normal(*shape, dtype=kind), device=self.device)

    def receive(self, state: State, sent: dict[str, torch.Tensor], around: Round) -> State:
        """The server's step on what was sent."""
        return self.run.algorithm.server_step(state, Received(sent, around))

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


def _elsewhere(engine: Sampled, chunk: tuple[int, int]) -> list[_Part]:
    """Run a chunk in another process, on one thread."""
    import torch

    torch.set_num_threads(1)
    return list(engine._whole(*chunk, lambda t: None))


def _unseen(batch: int = 1) -> Array:
    raise BoundkitError("no model has been seen yet.")


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


def _where(came: NDArray[np.bool_], after: State, idle: State) -> State:
    """The state after the round where some client participates, the idle one elsewhere."""
    import torch

    here = torch.as_tensor(came, device=after["x"].device)
    return {n: torch.where(here.reshape(-1, *(1,) * (v.ndim - 1)), v, idle[n]) for n, v in after.items()}


def _tell(progress: Progress, done: int, count: int, total: int, t: float) -> None:
    progress(int(done + count * t), total)


def chosen_device(device: str) -> str:
    """Resolve the device: cpu, cuda, or for auto the better of the available ones.

    Raises BoundkitError for cuda where there is none.
    """
    import torch

    if device not in ("cpu", "cuda", "auto"):
        raise BoundkitError(f"device must be cpu, cuda or auto, but it is {device!r}.")
    if device == "cuda" and not torch.cuda.is_available():
        raise BoundkitError("device cuda was asked for, but torch finds no GPU here; use cpu or auto.")
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
