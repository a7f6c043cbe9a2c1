"""A progress bar on stderr where that is a terminal, and lines of a log where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SILENT: ContextVar[bool] = ContextVar("silent", default=False)


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
    """A function ``tell(done, total)`` that moves the bar; it does nothing where nobody watches."""
    if _SILENT.get() or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"),
               TimeRemainingColumn())  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def logged(line: str) -> None:
    """A line on stderr, at once, where no terminal shows a bar: for long work of many parts."""
    if not sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)
