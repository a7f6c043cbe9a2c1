"""How many replicas fit: what a chunk of them takes, what is free, and what to do when it was too many."""

from __future__ import annotations

from pathlib import Path

from boundkit.algebra import BoundkitError
from boundkit.verify.run import Run

_SHARE = 0.5
"""Of what is free, how much a chunk may take: other processes live here too."""
_VECTORS = 8
"""Vectors of d numbers for each client of a round: its model, its update, and what a step makes of them."""


def replica_bytes(run: Run, itemsize: int) -> int:
    """About what a replica of a run takes: d numbers for each client that comes, and each that is kept."""
    d, m = run.problem.d, run.problem.m
    coming = max((run.participation.size(t) or m) for t in range(min(run.participation.period, 1000)))
    kept = 0 if run.algorithm.memoryless else m
    observed = 1 if getattr(run.problem, "lean", False) else m
    return int(itemsize * d * (_VECTORS * coming + 2 * kept + 2 * observed))


def free_bytes(device: str) -> int:
    """What is free on a device: of the GPU, or of this machine and the container that it may be."""
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info()[0])
    return min(_available(), _left_in_container())


def fitting(run: Run, wanted: int, itemsize: int, device: str) -> int:
    """How many replicas may be in flight, at most ``wanted``.

    Raises BoundkitError, with the numbers, where not even one fits.
    """
    each, free = replica_bytes(run, itemsize), free_bytes(device)
    count = int(_SHARE * free // max(each, 1))
    if count < 1:
        raise BoundkitError(
            f"one replica of this run needs about {_shown(each)} ({run.problem.d:,} parameters), and "
            f"{_shown(int(_SHARE * free))} of {_shown(free)} that is free on {device} may be taken; use "
            "a smaller model, fewer clients a round, or float32."
        )
    return min(wanted, count)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out, on a CPU or a GPU."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(
        said in str(error) for said in ("out of memory", "not enough memory", "can't allocate memory")
    )


def _available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return 2**32  # not Linux: a size that every machine with torch has


def _left_in_container() -> int:
    folder = Path("/sys/fs/cgroup")
    try:
        limit, used = (
            (folder / name).read_text(encoding="ascii").strip() for name in ("memory.max", "memory.current")
        )
        return 2**62 if limit == "max" else max(int(limit) - int(used), 0)
    except (OSError, ValueError):
        return 2**62


def _shown(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
