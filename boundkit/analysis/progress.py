"""Progress of long computations; ``boundkit.cli.progress`` draws it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from time import monotonic

Progress = Callable[[int, int], None]
"""``progress(done, total)``."""
REPORTER: ContextVar[Callable[[str], AbstractContextManager[Progress]] | None] = ContextVar(
    "reporter", default=None
)
"""What opens a progress bar of that name in this context; None without an observer."""
_LONG = 1.0
"""Seconds after which a computation is a long one."""


@contextmanager
def reported(what: str, progress: Progress | None = None) -> Iterator[Progress]:
    """The given ``progress``; without one, a bar of the context that opens once the block is a long one."""
    reporter = REPORTER.get()
    if progress is not None or reporter is None:
        yield progress or _ignore
        return
    start = monotonic()
    with ExitStack() as stack:
        report: Progress | None = None

        def report_later(done: int, total: int) -> None:
            nonlocal report
            if report is None and monotonic() - start >= _LONG:
                report = stack.enter_context(reporter(what))
            if report is not None:
                report(done, total)

        yield report_later


def _ignore(done: int, total: int) -> None:
    pass
