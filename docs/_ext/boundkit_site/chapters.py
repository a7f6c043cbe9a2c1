"""The chapters of the lecture, from the lecture itself."""

from __future__ import annotations

from boundkit.lecture.chapters import chapters

from .markdown import plain, table


def text() -> str:
    """A row a chapter."""
    rows = [[f"`{c.slug}`", plain(c.title), plain(c.question)] for c in chapters()]
    return table(["slug", "chapter", "it asks"], rows)
