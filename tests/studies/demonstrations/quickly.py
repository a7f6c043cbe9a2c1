"""The quick form of every demonstration, run once for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any

from boundkit.studies.demonstrations import demonstration, options


@cache
def run(name: str) -> tuple[Any, tuple[tuple[int, int], ...]]:
    """Its result, and what it said of its progress."""
    told: list[tuple[int, int]] = []
    takes = options(name)
    asked: dict[str, Any] = {"quick": True, "progress": lambda done, total: told.append((done, total))}
    return demonstration(name)(**{k: v for k, v in asked.items() if k in takes}), tuple(told)
