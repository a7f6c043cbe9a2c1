"""Reports as Markdown, with formulas between dollars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from boundkit.report.blocks import (
    Block,
    Cell,
    Code,
    Display,
    Heading,
    Link,
    Listing,
    Sentence,
    Sentences,
    Table,
)

BARS, NORM = r"\|", r"\Vert "  # in a table a backslash before a bar is syntax of the table


def write_markdown(blocks: Iterable[Block]) -> str:
    """The blocks, with an empty line between two."""
    return "\n\n".join(filter(None, map(_block, blocks))) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(title):
            return f"**{inline(title)}**"
        case Sentences(lines):
            return "\\\n".join(map(inline, lines))
        case Listing(title, items):
            return "\n".join([f"{inline(title)}\n", *(f"- {inline(i)}" for i in items)]) if items else ""
        case Code(title, lines):
            return "\n".join([f"{inline(title)}\n", "```text", *lines, "```"]) if lines else ""
        case Display(title, formula, lines):
            return "\n\n".join(
                [f"**{inline(title)}**", f"$$\n{formula.latex}\n$$", "\\\n".join(map(inline, lines))]
            )
        case Table(header, rows, left, caption):
            title = f"{inline(caption)}\n\n" if caption else ""
            return title + markdown_table(header, rows, left) if rows else ""
        case Link(address, text):
            return f"[{text}]({address})"


def inline(cell: Cell) -> str:
    """Write a cell as Markdown."""
    if isinstance(cell, Sentence):
        return "".join(map(inline, cell.pieces))
    return escape(cell) if isinstance(cell, str) else f"${cell.latex.replace(BARS, NORM)}$"


def escape(text: str) -> str:
    r"""Write text as it stands: a star is a product or an optimum here, never emphasis.

    >>> print(escape("a*b | x_0"))
    a\*b \| x\_0
    """
    return re.sub(r"([*~_|<$`\[\]])", r"\\\1", text)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], left: int = 1) -> str:
    """Write a table; its first ``left`` columns are aligned to the left, the others to the right.

    >>> print(markdown_table(["term", "value"], [["gap", "0.4"]]))
    | term | value |
    | --- | ---: |
    | gap | 0.4 |
    """
    lines = [
        header,
        ["---"] * left + ["---:"] * (len(header) - left),
        *([inline(c) for c in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
