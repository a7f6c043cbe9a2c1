"""One function of a seed, called for every replica, in one process or several; and slopes over replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import Progress
from boundkit.simulation.problems.base import Array
from boundkit.simulation.processes import run_in_workers
from boundkit.studies.demonstrations._training import _one_thread, interval

T = TypeVar("T")


def over_replicas(
    one: Callable[..., T], work: Sequence[tuple[Any, ...]], jobs: int = 1, progress: Progress | None = None
) -> list[T]:
    """``one`` of each tuple of arguments, in order, one thread each; ``jobs`` change no number."""
    found: list[T] = []
    for result in _all(one, work, jobs):
        found.append(result)
        if progress is not None:
            progress(len(found), len(work))
    return found


def _all(one: Callable[..., T], work: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[T]:
    if jobs == 1 or len(work) == 1:
        for own in work:
            yield on_one_thread(one, *own)
        return
    yield from run_in_workers(on_one_thread, [(one, *own) for own in work], jobs)


def on_one_thread(one: Callable[..., T], *own: Any) -> T:
    """Several threads change the last bits."""
    with _one_thread():
        return one(*own)


def slope(x: Array, y: Array) -> float:
    """The least-squares slope of y on x, (n,) each."""
    centred = x - x.mean()
    return float(centred @ y / (centred @ centred))


def log_slopes(x: Array, y: Array) -> Array:
    """The slope of log y, (R, n), on log x, (n,), of each replica, (R,); nan where some y is not above 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(np.where(y > 0, y, np.nan))
    return np.array([slope(np.log(x), row) for row in logs])


def slope_over_replicas(x: Array, y: Array) -> Estimate:
    """The mean of ``log_slopes`` with its Student t interval; nan where a replica has none."""
    each = log_slopes(x, y)
    if not np.isfinite(each).all():
        nan = float("nan")
        return Estimate(nan, nan, nan, nan)
    return interval(each)
