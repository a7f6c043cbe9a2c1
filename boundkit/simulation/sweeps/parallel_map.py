"""Parallel map of a function over inputs, in this process or by workers, also with results in a store."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Condition
from typing import Any, TypeVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.processes import one_thread, silent_cancelling, starting_workers
from boundkit.simulation.sweeps.backends import chosen_backend, refuse_jobs, workers
from boundkit.simulation.sweeps.result_store import ResultStore

Result = TypeVar("Result")


def map_parallel(
    task: Callable[..., Result],
    inputs: Sequence[tuple[Any, ...]],
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """``(place, task(*inputs[place]))`` for every input, in order of completion.

    One input, and ``jobs`` 1, without a cluster stay in this process; None takes all processors, or the
    whole cluster.
    Every task has one thread: tasks, not threads, share the processors, and the last bits of a result do
    not depend on the worker. An exception of a task ends the sweep and is raised here.

    Raises BoundkitError for an unknown backend, a missing package, or a scheduler that does not answer.
    """
    chosen = chosen_backend(backend, scheduler)
    refuse_jobs(jobs)
    if not inputs:
        return
    if (jobs == 1 or len(inputs) == 1) and backend is None and scheduler is None:
        with one_thread():
            for place, given in enumerate(inputs):
                yield place, task(*given)
        return
    with one_thread(), workers(chosen, scheduler, jobs) as options:
        yield from _by_workers(task, inputs, options)


def _by_workers(
    task: Callable[..., Result], inputs: Sequence[tuple[Any, ...]], options: dict[str, Any]
) -> Iterator[tuple[int, Result]]:
    from joblib import Parallel, delayed

    # One at a time: results are stored at once, and a worker that dies loses only one task.
    threads = Threads() if options["backend"] == "threading" else None
    call = _placed if threads is None else threads.run
    work = [delayed(call)((place, task, given)) for place, given in enumerate(inputs)]
    if options["backend"] not in ("multiprocessing", "ray"):
        with starting_workers():
            results = Parallel(batch_size=1, return_as="generator_unordered", **options)(work)
        try:
            while (result := _next(results)) is not None:
                yield result
        finally:
            with silent_cancelling():
                results.close()
            if threads is not None:
                threads.wait()
        return
    with ExitStack() as stack:
        with starting_workers():
            pool = stack.enter_context(Parallel(batch_size=1, **options))  # these two give back lists only
        slice_size = 2 * options["n_jobs"]
        for first in range(0, len(work), slice_size):
            yield from pool(work[first : first + slice_size])


def _next(results: Generator[tuple[int, Result]]) -> tuple[int, Result] | None:
    """The next result, or None at the end.

    Raises BoundkitError where a worker process or the cluster died; exceptions of a task are raised
    unchanged.
    """
    try:
        with silent_cancelling():
            return next(results, None)
    except BrokenExecutor:
        raise BoundkitError(
            "a worker process was ended from outside, most often for lack of memory; fewer jobs need less, "
            "and finished results are kept under --out."
        ) from None
    except Exception as error:
        if not type(error).__module__.startswith("distributed."):
            raise
        raise BoundkitError(
            f"the dask cluster was lost ({type(error).__name__}); finished results are kept under --out."
        ) from None


class Threads:
    """Tasks in threads, which cannot be interrupted: the process must wait for them before it ends."""

    def __init__(self) -> None:
        self.stopped = False
        self.changed = Condition()
        self.running = 0

    def run(self, work: tuple[int, Callable[..., Result], tuple[Any, ...]]) -> tuple[int, Result] | None:
        """Run the task, unless the sweep was cancelled."""
        with self.changed:
            if self.stopped:
                return None
            self.running += 1
        try:
            return _placed(work)
        finally:
            with self.changed:
                self.running -= 1
                self.changed.notify_all()

    def wait(self) -> None:
        """Start no more tasks, and wait for the running ones."""
        with self.changed:
            self.stopped = True
            self.changed.wait_for(lambda: not self.running)


def _placed(work: tuple[int, Callable[..., Result], tuple[Any, ...]]) -> tuple[int, Result]:
    """Run a task in a worker. Its inputs are one tuple, which joblib passes to dask unchanged: larger objects
    would be scattered to one worker first, and be lost with it."""
    with one_thread():
        place, task, arguments = work
        return place, task(*arguments)


Computed = TypeVar("Computed")
Result = TypeVar("Result")


def resumable_map(
    task: Callable[..., Computed],
    inputs: Sequence[tuple[Any, ...]],
    store: ResultStore | None,
    *,
    name: Callable[[int], str],
    key: Callable[[int], str],
    load: Callable[[Path], Result | None],
    save: Callable[[Computed, Path | None], Result],
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield ``(place, result)`` for every input: stored results first, then computed ones as they finish.

    A result that was yielded is stored, so that an interrupt or an error loses only unfinished items.

    Parameters
    ----------
    task : evaluated by worker processes on ``inputs[place]``, where the store has no valid item.
    store : where items are looked up and stored; None computes all and stores nothing.
    name, key : file name of an item, and the key of its inputs. The key is evaluated again after ``save``,
        which may change an input.
    load : reads an item with a valid stamp; None has it computed again.
    save : called in this process. Writes a computed item to the path (None without a store), whole or not at
        all, and returns the result.
    jobs, backend, scheduler : workers, as in ``map_parallel``.

    Raises BoundkitError where a stored item was removed in the meantime, and what ``task`` raises.
    """
    missing = list(range(len(inputs)))
    if store is not None:
        missing = []
        for place in range(len(inputs)):
            valid = store.has(name(place), key(place))
            result = load(store.path(name(place))) if valid else None
            if result is None:
                missing.append(place)
            else:
                yield place, result
    for done, computed in map_parallel(task, [inputs[place] for place in missing], jobs, backend, scheduler):
        place = missing[done]
        if store is None:
            yield place, save(computed, None)
            continue
        # here and not in a worker, which may be on another machine, or be killed while it writes
        result = save(computed, store.path(name(place)))
        store.stamp(name(place), key(place))
        yield place, result
    if store is not None:
        store.refuse_missing()


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all. Raises BoundkitError where it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
