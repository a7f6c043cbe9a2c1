"""Backends of a sweep: this process, worker processes on this machine, or a running cluster.

All are used through joblib in the same way. Cluster packages are imported on demand; a missing
package or a scheduler that does not answer gives a one-sentence error.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.processes import prepare_worker

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
    distributed = _imported("distributed", "dask", "boundkit[cluster]")
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
    ray = _imported("ray", "ray", "ray")
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


def _imported(package: str, backend: str, install: str) -> Any:
    """Import a package that only a cluster needs, so that it stays optional."""
    try:
        return import_module(package)
    except ImportError:
        raise BoundkitError(
            f"the backend {backend} needs the package {package}, which is not installed: "
            f"pip install '{install}'."
        ) from None
