"""Sampling engines: the replicas of a run in chunks, observed every round, stopped when not finite."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import shown
from boundkit.analysis.progress import Progress, reported
from boundkit.simulation.arrays import Array, on_gpu, to_float64, to_numpy
from boundkit.simulation.engines.local_steps import pairs_in_a_block
from boundkit.simulation.engines.memory import (
    clients_per_round,
    estimate_memory,
    fitting_chunk,
    free_bytes,
    is_out_of_memory,
    recordable_chunk,
)
from boundkit.simulation.engines.recorder import RoundRecorder, refuse_unobserved_start
from boundkit.simulation.engines.replica_rounds import ReplicaRounds, Tick
from boundkit.simulation.processes import one_thread, run_in_workers
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Outcome, Trajectory

_CHUNK_BYTES = 4 * 2**20
"""Largest size of one array (replicas, clients, parameters) of a chunk: about the capacity of a cache."""
_LARGE_CHUNK = 16
"""Most replicas of a large problem in a chunk on a CPU, so that there are chunks for all processes."""
_MANY_STEPS = 1000
"""Local steps of a round above which progress is reported within rounds."""


@dataclass(frozen=True)
class Chunk:
    """A simulated chunk: sums of points over replicas, (T' + 1, d), and observables, (count, T' + 1)."""

    points: dict[str, Array]
    observed: dict[str, Array]
    outcome: Outcome
    rounds: Sequence[int]
    path: Array | None
    chunk: int
    """The largest number of replicas in flight."""
    settings: dict[str, Any]
    """Further settings of the trajectory."""


class SampledEngine(ReplicaRounds):
    """Runs replicas in chunks, whose size affects only the speed."""

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
        draws: str = "streams",
        arrays: str = "auto",
    ) -> None:
        refuse_unobserved_start(run)
        super().__init__(run, replicas, dtype, device, draws, arrays)
        self.jobs, self.itemsize = jobs, self.like.dtype.itemsize
        self.chunk = fitting_chunk(run, chunk or self._usual_chunk(), self.itemsize, self.device, jobs)

    def _usual_chunk(self) -> int:
        """As many replicas as a cache stores; those of a large problem are stepped in blocks."""
        problem = self.run.problem
        if problem.large and self.run.algorithm.settings.get("wait"):
            return 1  # replicas begin at rounds of their own
        if problem.large:
            return self._large_chunk()
        row = problem.m * problem.d * self.itemsize
        return int(min(self.replicas, max(self.least_chunk, _CHUNK_BYTES // max(row, 1))))

    def _large_chunk(self) -> int:
        """All replicas on a GPU; on a CPU as many as fill a block, in chunks of similar size.

        Independent of the number of processes, so that results agree bit by bit.
        """
        if self.device != "cpu":
            return self.replicas
        fill = -(-pairs_in_a_block(self.run.problem.d, self.itemsize) // clients_per_round(self.run))
        chunks = -(-self.replicas // min(fill, _LARGE_CHUNK))
        return -(-self.replicas // chunks)

    @property
    def random(self) -> bool:
        """Whether two replicas would differ."""
        return self.run.random

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
        parts: list[Chunk] = []
        points: dict[str, Array] = {}
        with reported(self._title, progress) as report:
            for part in self._run_chunks(chunks, replicas, report):
                for name, total in part.points.items():
                    end = min(len(total), len(points.get(name, total)))
                    points[name] = points[name][:end] + total[:end] if name in points else total
                parts.append(replace(part, points={}))  # only the sum of large vectors is stored
        return self._join(parts, points, replicas)

    def _join(self, parts: list[Chunk], points: dict[str, Array], replicas: int) -> Trajectory:
        """The trajectory of all chunks, cut to the shortest; ``points``: sums over all replicas."""
        rounds = min((part.rounds for part in parts), key=len)
        end = len(rounds)
        means = {name: total[:end] / replicas for name, total in points.items()}
        ends = {part.outcome for part in parts}
        outcome: Outcome = "diverged" if "diverged" in ends else "waiting" if "waiting" in ends else "done"
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
                "dtype": self.dtype,
                "arrays": self.arrays,
                "chunk": min(self.chunk, *(part.chunk for part in parts)),
                **{name: value for part in parts for name, value in part.settings.items()},
            },
            observed_at=None if self.run.every == 1 else tuple(rounds),
            path=None if path is None else path[:end],
        )

    def _run_chunks(
        self, chunks: list[tuple[int, int]], replicas: int, progress: Progress
    ) -> Iterator[Chunk]:
        """Run the chunks, here or in worker processes; a chunk that does not fit is run in halves."""
        total, requested = replicas * self.run.rounds, self.chunk
        size = requested
        for part in self._chunk_results(chunks, total, progress):
            if part.chunk < size:
                size = part.chunk
                warnings.warn(
                    f"{requested} replicas at a time did not fit in memory; they are run {size} at a time.",
                    stacklevel=4,
                )
            yield part

    def _chunk_results(
        self, chunks: list[tuple[int, int]], total: int, progress: Progress
    ) -> Iterator[Chunk]:
        if self.jobs == 1 or len(chunks) == 1:
            unit = self._unit
            for first, count in chunks:
                before = first * self.run.rounds * unit
                yield from self._run_pieces(
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

    def _run_pieces(self, first: int, count: int, tick: Tick) -> Iterator[Chunk]:
        """Run one chunk in pieces that fit: where memory runs out, the pieces are halved from then on.

        Raises BoundkitError, with the numbers, where not even one replica fits.
        """
        at = first
        while at < first + count:
            size = min(self.chunk, first + count - at)
            try:
                part = self._piece(at, size, tick)
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                self._halve(size)
                continue
            yield part
            at += size

    def _halve(self, size: int) -> None:
        """Halve the pieces and release the memory of the failed one."""
        self.recorder = RoundRecorder(self.run, 0)
        if on_gpu(self.like):
            import torch

            torch.cuda.empty_cache()
        if size == 1:
            takes, free = estimate_memory(self.run, self.itemsize), free_bytes(self.device)
            raise BoundkitError(
                f"memory ran out with one replica in flight, which needs about {shown(takes.of(1))} by "
                f"estimate, while {shown(free)} is free on {self.device}; use a smaller model, fewer "
                "clients a round, smaller mini-batches, or float32."
            )
        self.chunk = -(-size // 2)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")  # divergence is an outcome, no warning
    def _piece(self, first: int, count: int, tick: Tick) -> Chunk:
        with one_thread(self.run.problem.large):
            return self._simulate(first, count, tick)

    def _simulate(self, first: int, count: int, tick: Tick) -> Chunk:
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
        return Chunk(sums, observed, outcome, rounds, path, self.chunk, dict(self.further_settings))

    def tail_means(self, first: int) -> tuple[Array, dict[str, Array]]:
        """The mean of x_t over the rounds t > ``first``, (R, d), and of further models, per replica.

        Raises BoundkitError where the run diverges.
        """
        algorithm, rounds = self.run.algorithm, self.run.rounds
        sums: dict[str, Array] = {}
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"), reported(self._title) as report:
            self.tick = partial(_report, report, 0, self._unit, rounds * self._unit)
            for t, state in self.states():
                if t > first:
                    for name, x in {"": state["x"], **algorithm.models(state)}.items():
                        sums[name] = sums.get(name, 0) + to_float64(x)
        means = {name: v / (rounds - first) for name, v in sums.items()}
        waiting = algorithm.waiting(state)
        if waiting is not None and to_numpy(waiting).any():
            raise BoundkitError("some run never begins: a client did not participate in any of its rounds.")
        if not np.isfinite(means[""]).all():
            raise BoundkitError("the run diverges, so it has no limit.")
        return means.pop(""), means

    @property
    def _title(self) -> str:
        return f"{self.run.algorithm.name}, {self.run.rounds:,} rounds"


def _run_in_worker(engine: SampledEngine, chunk: tuple[int, int]) -> list[Chunk]:
    """Run a chunk in another process, on one thread."""
    with one_thread():
        return list(engine._run_pieces(*chunk, lambda t: None))


def _report(progress: Progress, done: int, count: int, total: int, t: float) -> None:
    progress(int(done + count * t), total)
