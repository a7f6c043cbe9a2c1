"""Published tables as Markdown, each with its source and its setting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from boundkit.lecture.published_tables import published_table, published_tables

from .markdown import plain, table


def texts() -> dict[str, Callable[[], str]]:
    """What writes each table, by the name of its mark."""
    return {f"published_{name}": partial(_text, name) for name in published_tables()}


def _text(name: str) -> str:
    found = published_table(name)
    source = f"{plain(str(found.source))}. {plain(found.note)} Read: {plain(found.read)}."
    rows = [[plain(cell) for cell in row] for row in found.rows]
    return f"**{plain(found.title)}.** {source}\n\n{table([plain(head) for head in found.header], rows)}"
