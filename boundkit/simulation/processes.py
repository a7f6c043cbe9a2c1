"""Worker processes and threads on this machine: their start, and their end after that of the parent.

Every pool of boundkit is started here or uses ``prepare_worker``. A worker ignores SIGINT, which a
terminal sends to parent and workers at once: the parent decides. A worker whose parent has ended, for
any reason, ends within a second.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from multiprocessing import parent_process
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_REPLACED = "A worker stopped while some jobs were given to the"
"""The beginning of joblib's warning where it replaces a worker: no task is lost, and no answer changes."""
_POLL_INTERVAL = 0.5
"""Seconds between a worker's checks of its parent."""


def run_in_workers(
    task: Callable[..., Result], inputs: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[Result]:
    """``task(*arguments)`` for every tuple of arguments, in order, by ``jobs`` processes of one thread."""
    from joblib import Parallel, delayed

    with starting_workers():
        results = Parallel(
            n_jobs=jobs, return_as="generator", inner_max_num_threads=1, backend="loky",
            initializer=prepare_worker,
        )(delayed(task)(*own) for own in inputs)  # fmt: skip
    try:
        yield from results
    finally:
        with silent_cancelling():
            results.close()


@contextmanager
def starting_workers() -> Iterator[None]:
    """Block SIGINT and SIGTERM in this thread, for processes that start inside and inherit it.

    Otherwise Ctrl-C ends a worker that is still importing, and prints its traceback. ``prepare_worker``
    unblocks them there.

    From here on joblib's warning of a replaced worker is ignored. A thread of joblib gives it, so that no
    context of this thread could.
    """
    warnings.filterwarnings("ignore", _REPLACED, UserWarning)
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as resource_tracker_of_loky

    for tracker in (resource_tracker, resource_tracker_of_loky):
        tracker.ensure_running()  # the first start of either unblocks both signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def prepare_worker() -> None:
    """Set up a worker process: ignore SIGINT, obey SIGTERM, and end when the parent has ended."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if os.name == "posix":  # elsewhere getppid does not change when the parent ends
        parent = parent_process()
        pid = os.getppid() if parent is None or parent.pid is None else parent.pid
        Thread(target=_end_after, args=(pid,), daemon=True).start()


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_INTERVAL)
    os._exit(1)


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Restrict numpy and torch to one thread in this context, and restore their numbers afterwards.

    For blocks of small matrix products, where synchronisation outweighs the work, and for tasks whose last
    bits must not depend on the number of threads.
    """
    if not wanted:
        yield
        return
    torch = sys.modules.get("torch")
    before = 1 if torch is None else torch.get_num_threads()
    with _thread_pools().limit(limits=1, user_api="blas"):
        if torch is not None and before > 1:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            if torch is not None and before > 1:
                torch.set_num_threads(before)


@cache
def _thread_pools() -> Any:
    """The thread pools of the libraries that numpy and scipy have loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def silent_cancelling() -> Iterator[None]:
    """Suppress joblib's warning about cancelled tasks when a pool is stopped early on purpose."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* tasks which were still being processed", UserWarning)
        yield
