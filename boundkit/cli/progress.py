"""A progress bar on stderr where that is a terminal, and lines of a log where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_SILENT: ContextVar[bool] = ContextVar("silent", default=False)
_RUNNING: ContextVar[Progress | None] = ContextVar("running", default=None)


@contextmanager
def silent() -> Iterator[None]:
    """No bar inside: for parts of a work that has a bar of its own."""
    before = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(before)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function ``tell(done, total)`` that moves the bar; it does nothing without a terminal.

    Inside another one its bar is a line below that one's.
    """
    if _SILENT.get() or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    running = _RUNNING.get()
    if running is not None:
        with _task(running, what) as report_progress:
            yield report_progress
        return
    with _bars() as bars:
        before = _RUNNING.set(bars)
        try:
            with _task(bars, what) as report_progress:
                yield report_progress
        finally:
            _RUNNING.reset(before)


@contextmanager
def long_runs_shown() -> Iterator[None]:
    """Runs in the block that take longer than a second have a bar, where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from boundkit.analysis.progress import REPORTER

    before = REPORTER.set(progress)
    try:
        yield
    finally:
        REPORTER.reset(before)


@contextmanager
def _task(bars: Progress, what: str) -> Iterator[Callable[[int, int], None]]:
    task = bars.add_task(what, total=None)
    try:
        yield lambda done, total: bars.update(task, completed=done, total=total)
    finally:
        bars.remove_task(task)


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def logged(line: str) -> None:
    """A line on stderr, at once, where no terminal shows a bar: for long work of many parts."""
    if not sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)
