"""Small pieces of Markdown that the generated pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from boundkit.report.markdown import BARS, NORM, escape


def plain(text: str) -> str:
    """Text as it stands, without space around it."""
    return escape(text.strip())


def formula(latex: str) -> str:
    """A formula in a line. In a table, a backslash before a bar belongs to the table."""
    return f"${latex.replace(BARS, NORM)}$"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown already."""
    lines = [list(header), ["---"] * len(header), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def to_theorem(name: str, folder: str = "theorems/") -> str:
    """A link to the page of a theorem; ``folder`` is empty on a page beside it."""
    return f"[{name}]({folder}{name}.md)"
