"""A Ctrl-C at a chosen moment, in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def interrupted_at(call: int, true: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a Ctrl-C in its call number ``call``."""
    calls = 0

    def counted(*arguments: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise KeyboardInterrupt
        return true(*arguments, **keywords)

    return counted
