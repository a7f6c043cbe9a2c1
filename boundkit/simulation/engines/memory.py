"""Memory requirements: size of a chunk of replicas, free memory, and errors where it does not fit."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.algebra import BoundkitError
from boundkit.analysis import memory
from boundkit.analysis.memory import SHARE, WRITTEN, refuse_larger, shown
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run

_VECTORS, _STORED = 8, 4
"""Vectors of d numbers for each client of a round (model, update, temporaries of a step), and for each client
whose state the server stores (the state, and temporaries of a round)."""
_DRAWN = 4
"""Numbers of 8 bytes for each point of a mini-batch: the draw, the index, and both in the order of steps."""
_STACKED = 2
"""Copies of a round's observables while blocks are stored and concatenated."""
_PATHS = 3
"""Vectors of d numbers for each observed round: sums over the replicas of a chunk and of all, and a path."""
_PROBED, _DENSE, _MAP = 60, 12, 20_000
"""For affine maps: numbers for each coordinate of a client during their computation, for each entry of its
dense matrices, and bytes of one round's map."""
_SERIES = 8
"""Number of observables of a round."""


@dataclass(frozen=True)
class MemoryEstimate:
    """Estimated memory of a run in bytes: ``fixed``, plus ``each`` per replica in flight."""

    fixed: int
    each: int

    def of(self, replicas: int) -> int:
        """Bytes of ``replicas`` replicas at a time."""
        return self.fixed + replicas * self.each


def clients_per_round(run: Run) -> int:
    """The largest number of clients of a round where it is known; else all."""
    sizes = (run.participation.size(t) for t in range(min(run.participation.period, 1000)))
    return max(size or run.problem.m for size in sizes)


def estimate_memory(run: Run, itemsize: int) -> MemoryEstimate:
    """Memory for participating clients, stored client state, data and iterates."""
    problem, d, n = run.problem, run.problem.d, clients_per_round(run)
    each = itemsize * d * (_VECTORS * n + (0 if run.algorithm.stateless else _STORED * problem.m))
    fixed = 0
    if run.local_spread:
        each += _VECTORS * itemsize * n * problem.m * d
    if problem.parts is not None:
        each += 8 * _DRAWN * int(run.local_steps.max()) * problem.m
    if problem.batches is not None:
        columns = problem.m if run.participation.ragged else n
        points = int(run.local_steps.max()) * problem.batches.size
        points += int(problem.batches.sizes.max()) if problem.batches.shuffled else 0
        each += 8 * _DRAWN * columns * points
    if problem.large:
        fixed += 8 * d * _PATHS * len(run.observed_rounds) + problem.data_bytes
        fixed += 0 if getattr(problem, "lean", False) else 2 * itemsize * d * problem.m
    return MemoryEstimate(int(fixed), int(each))


def recordable_chunk(run: Run, replicas: int, chunk: int, jobs: int = 1) -> int:
    """Number of replicas, at most ``chunk``, in flight for which the iterates of all observed rounds fit.

    The observables of all replicas are stored, and iterates while their chunk is in flight. Raises
    BoundkitError, with the numbers, where they do not fit even with one replica at a time.
    """
    rounds, d = len(run.observed_rounds), 1 if run.problem.large else run.problem.d
    series = len(OBSERVABLES) * (1 + len(run.objectives) + run.observes_local_steps)
    stored, each = (_STACKED * 8 * rounds * size for size in (replicas * series, d))
    what = f"the list of what is observed of {replicas:,} replicas in {rounds:,} rounds (d = {d:,})"
    refuse_larger(stored + jobs * each, what, "use fewer rounds or replicas, or observe fewer rounds (every)")
    if stored + jobs * chunk * each <= memory.SMALL:
        return chunk
    return int(max(1, min(chunk, (SHARE * memory.free_bytes() - stored) // (jobs * each))))


def refuse_maps(run: Run) -> None:
    """Refuse affine maps of all clients that would not fit during their computation."""
    m, d = run.problem.m, run.problem.d
    dense = run.problem.basis is not None
    what = f"the list of the affine maps of {m:,} clients (d = {d:,})"
    instead = "use fewer clients or parameters, or the step engine"
    refuse_larger(8 * m * d * (_PROBED + (_DENSE * d if dense else 0)), what, instead)


def refuse_exact(run: Run, observables: int, watched: bool) -> None:
    """Refuse exact moments of a run without client state whose record would not fit.

    ``watched``: the maps of rounds with 1, ..., tau - 1 local steps are computed as well.
    """
    m, d = run.problem.m, run.problem.d
    if watched:
        tau = run.tau or 1
        size = _MAP + 8 * d * (_DENSE * m if run.problem.basis is not None else _PROBED)
        what = f"the list of the exact moments after each of {tau:,} local steps"
        refuse_larger(tau * size, what, "use fewer local steps, or the step engine")
    rounds = len(run.observed_rounds)
    what = f"the list of the exact moments of {rounds:,} rounds (d = {d:,})"
    instead = "use fewer rounds, or observe fewer of them (every)"
    refuse_larger(8 * rounds * (d + observables + 1), what, instead)


def refuse_json(run: Run) -> None:
    """Refuse a JSON trajectory whose numbers, as Python objects and as text, exceed the memory limit."""
    rounds = len(run.observed_rounds)
    what = f"the JSON of {rounds:,} rounds (d = {run.problem.d:,})"
    refuse_larger(WRITTEN * rounds * (run.problem.d + _SERIES), what, "observe fewer rounds (every)")


def fitting_chunk(run: Run, wanted: int, itemsize: int, device: str, jobs: int = 1) -> int:
    """Number of replicas that may be in flight in each of ``jobs`` processes, at most ``wanted``.

    Raises BoundkitError, with the numbers, where not even one fits.
    """
    takes, free = estimate_memory(run, itemsize), free_bytes(device)
    allowed = int(SHARE * free)
    if takes.of(1) > allowed:
        raise BoundkitError(
            f"one replica of this run needs about {shown(takes.of(1))} ({run.problem.d:,} parameters, "
            f"{clients_per_round(run):,} clients a round), and {shown(allowed)} of the {shown(free)} that "
            f"is free on {device} may be taken; use a smaller model, fewer clients a round, or float32."
        )
    return max(1, min(wanted, (allowed // jobs - takes.fixed) // max(takes.each, 1)))


def free_bytes(device: str) -> int:
    """Free memory of a device: of the GPU, or of this machine or the container it runs in."""
    if device.startswith("cuda"):
        import torch

        idle = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()  # torch holds it for later
        return int(torch.cuda.mem_get_info()[0]) + idle
    return memory.free_bytes()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error is about exhausted memory, of a CPU or a GPU."""
    if isinstance(error, MemoryError):
        return True
    messages = ("out of memory", "not enough memory", "can't allocate memory", "ALLOC_FAILED")
    return isinstance(error, RuntimeError) and any(message in str(error) for message in messages)
