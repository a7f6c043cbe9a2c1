"""Memory of this machine: how much is free, and the refusal of what would need more than may be taken."""

from __future__ import annotations

from pathlib import Path

from boundkit.algebra import BoundkitError

SHARE = 0.5
"""Share of the free memory that a computation may take."""
SMALL = 2**26
"""Bytes below which free memory is not checked."""
WRITTEN = 100
"""Bytes of a number of an answer in a list of Python and in JSON, as it is put together and printed."""
_CONTAINER = Path("/sys/fs/cgroup")


def refuse_larger(takes: float, what: str, instead: str) -> None:
    """Raise BoundkitError, with the numbers, where a computation takes more memory than it may.

    Parameters
    ----------
    takes
        Bytes that it takes, estimated.
    what
        The computation, the subject of the sentence: "a grid of 1,000 points".
    instead
        The nearest request that needs less.
    """
    if takes <= SMALL:
        return
    free = free_bytes()
    if takes > SHARE * free:
        raise BoundkitError(
            f"{what} needs about {shown(takes)} of memory, and {shown(SHARE * free)} of the {shown(free)} "
            f"that is free may be taken; {instead}."
        )


def free_bytes() -> int:
    """What is free of this machine's memory, of the container that it may be, and of the process's limit."""
    return min(_available(), _left_in_container(), _left_to_process())


def _available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return 2**32  # not Linux: a size that every machine with torch has


def _left_in_container() -> int:
    """The limit of the container less what is used; files that were read are used only until it is full."""
    try:
        limit, used, state = (
            (_CONTAINER / name).read_text(encoding="ascii")
            for name in ("memory.max", "memory.current", "memory.stat")
        )
        read = next(int(line.split()[1]) for line in state.splitlines() if line.startswith("inactive_file "))
        return 2**62 if limit.strip() == "max" else max(int(limit) - int(used) + read, 0)
    except (OSError, StopIteration, ValueError):
        return 2**62


def _left_to_process() -> int:
    """The limit of this process's address space (``ulimit -v``) less what it has reserved."""
    try:
        import resource
        from mmap import PAGESIZE

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return 2**62
        reserved = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * PAGESIZE
        return max(limit - reserved, 0)
    except (ImportError, OSError, ValueError):
        return 2**62


def shown(size: float) -> str:
    """A size for people.

    >>> shown(3 * 2**29)
    '1.5 GiB'
    >>> shown(10**400)
    '10^12 TiB or more'
    """
    if size >= 2**80:  # of a count beyond every float, too
        return "10^12 TiB or more"
    if size >= 2**40:
        return f"{size / 2**40:,.1f} TiB"
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
