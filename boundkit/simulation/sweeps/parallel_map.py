"""Parallel map of a function over inputs: in this process, by worker processes, or on a running cluster.

All backends are used through joblib in the same way. Cluster packages are imported on demand; a missing
package or a scheduler that does not answer gives a one-sentence error.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Condition
from typing import Any, TypeVar
from urllib.parse import urlsplit

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.extras import require
from boundkit.simulation.processes import one_thread, prepare_worker, silent_cancelling, starting_workers

LOCAL = ("loky", "threading", "multiprocessing")
CLUSTERS = ("dask", "ray")
BACKENDS = (*LOCAL, *CLUSTERS)
PATIENCE = 10.0
"""Timeout for a scheduler's first answer, in seconds."""


MOST_JOBS = 10_000


def refuse_jobs(jobs: int | None) -> None:
    """Raise BoundkitError for a number of workers below 1, or above what any machine can start."""
    if jobs is not None and jobs < 1:
        raise BoundkitError(f"jobs must be a whole number, at least 1, but it is {jobs}.")
    if jobs is not None and jobs > MOST_JOBS:
        raise BoundkitError(f"jobs must be at most {MOST_JOBS:,}, but it is {jobs}.")


def usable_cpus() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chosen_backend(backend: str | None, scheduler: str | None) -> str:
    """The backend by name: loky by default, and dask where a scheduler is named.

    Raises BoundkitError for an unknown name, or a scheduler for workers that have none.
    """
    if backend is None:
        return "loky" if scheduler is None else "dask"
    if backend not in BACKENDS:
        raise unknown("backend", backend, BACKENDS)
    if scheduler is not None and backend not in CLUSTERS:
        raise BoundkitError(f"a scheduler was given, but {backend} has none; dask and ray have one.")
    return backend


@contextmanager
def workers(backend: str, scheduler: str | None, jobs: int | None) -> Iterator[dict[str, Any]]:
    """Arguments of ``joblib.Parallel``, in a context in which the workers can be reached.

    ``jobs``: number of workers; None: all processors of this machine, or the whole cluster.
    Raises BoundkitError where a package is missing or the scheduler cannot be reached.
    """
    if backend == "dask":
        with _dask(scheduler) as options:
            yield options
    elif backend == "ray":
        with _ray(scheduler, jobs) as options:
            yield options
    else:
        options = {"backend": backend, "n_jobs": jobs or usable_cpus()}
        if backend != "threading":
            options["initializer"] = prepare_worker
        if backend == "loky":
            options["inner_max_num_threads"] = 1
        yield options


@contextmanager
def _dask(scheduler: str | None) -> Iterator[dict[str, Any]]:
    require("distributed")
    distributed = import_module("distributed")
    address = scheduler or import_module("dask.config").get("scheduler-address", None)
    if address is None:
        raise BoundkitError("the backend dask needs the address of its scheduler: --scheduler HOST:PORT.")
    _check_reachable("dask", address, "dask scheduler")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BoundkitError(
            f"{address} is no dask scheduler that answers within {PATIENCE:g} seconds "
            f"({type(error).__name__})."
        ) from None
    try:
        # joblib accepts backend objects too; the name alone would look for a client of the process
        from joblib._dask import DaskDistributedBackend

        _wait_for_workers(client, address)
        yield {"backend": DaskDistributedBackend(client=client), "n_jobs": -1, "pre_dispatch": "all"}
    finally:
        client.close()


def _check_reachable(backend: str, address: str, starter: str) -> None:
    """Refuse an address without a listener; the cluster's own client would retry for a long time."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme not in ("tcp", "tls", "ray"):
        return
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise BoundkitError(f"{address!r} is no address of a scheduler; write HOST:PORT.")
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError as error:
        raise BoundkitError(
            f"no {backend} scheduler answers at {address}: {error.strerror or error}; {starter} starts one."
        ) from None


def _wait_for_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise BoundkitError(
            f"the dask scheduler at {address} has no workers; dask worker {address} starts one."
        ) from None


@contextmanager
def _ray(scheduler: str | None, jobs: int | None) -> Iterator[dict[str, Any]]:
    require("ray")
    ray = import_module("ray")
    if scheduler not in (None, "auto"):
        _check_reachable("ray", str(scheduler), "ray start --head")
    started_here = not ray.is_initialized()
    if started_here:
        try:
            ray.init(address=scheduler, log_to_driver=False)
        except (ConnectionError, OSError, RuntimeError, ValueError) as error:
            raise BoundkitError(f"no ray cluster answers at {scheduler} ({type(error).__name__}).") from None
    try:
        import_module("ray.util.joblib").register_ray()
        yield {"backend": "ray", "n_jobs": jobs or int(ray.cluster_resources().get("CPU", 1))}
    finally:
        if started_here:
            ray.shutdown()


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
