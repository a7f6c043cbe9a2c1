"""How far a long computation is, for whoever wants to hear of it; ``boundkit.cli.progress`` draws it."""

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
"""What opens a progress bar of that name in this context; None where nobody watches."""
_LONG = 1.0
"""Seconds after which a computation is a long one."""


@contextmanager
def reported(what: str, progress: Progress | None = None) -> Iterator[Progress]:
    """The given ``progress``; without one, a bar of the context that opens once the block is a long one."""
    reporter = REPORTER.get()
    if progress is not None or reporter is None:
        yield progress or _unheard
        return
    begun = monotonic()
    with ExitStack() as stack:
        tell: Progress | None = None

        def late(done: int, total: int) -> None:
            nonlocal tell
            if tell is None and monotonic() - begun >= _LONG:
                tell = stack.enter_context(reporter(what))
            if tell is not None:
                tell(done, total)

        yield late


def _unheard(done: int, total: int) -> None:
    pass
