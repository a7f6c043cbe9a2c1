"""The chapters in the order of the lecture, each a Markdown file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from boundkit.lecture.chapter_parser import parse_chapter
from boundkit.lecture.parts import Chapter

ORDER = (
    *("setting", "data", "sampling", "selection", "availability", "computation", "smoothness", "ahead"),
    "reading",
)
"""The names of the files, without their ending."""


@cache
def chapters() -> tuple[Chapter, ...]:
    """Every chapter, in order."""
    return tuple(
        parse_chapter((files(__package__) / f"{name}.md").read_text(encoding="utf-8"), name) for name in ORDER
    )
