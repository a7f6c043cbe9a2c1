"""Reports as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from boundkit.report.blocks import Block, Cell, Code, Display, Heading, Link, Listing, Sentences, Table

WIDTH = 100


def write_text(blocks: Iterable[Block]) -> str:
    """The blocks, with an empty line between two."""
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: Block) -> str:
    match block:
        case Heading(title):
            return str(title)
        case Sentences(lines, wrapped):
            return "\n".join(wrap(str(each), hanging="") if wrapped else str(each) for each in lines)
        case Listing(title, items):
            return "\n".join([str(title), *(wrap(str(item), "  ") for item in items)]) if items else ""
        case Code(title, lines):
            return "\n".join([str(title), *(f"    {line}" for line in lines)]) if lines else ""
        case Display(title, formula, lines):
            notes = [wrap(str(line), "    ") for line in lines]
            return "\n".join([str(title), wrap(str(formula), "  ", "      "), *notes])
        case Table(header, rows, left, caption):
            return _table(header, rows, left, caption)
        case Link(address, text):
            return f"{text}: {address}"


def _table(header: Sequence[str], rows: Sequence[Sequence[object]], left: int, caption: Cell) -> str:
    if not rows:
        return ""
    body = align_columns(header, rows, left)
    body = body if any(header) else body.partition("\n")[2]
    return f"{caption}\n{textwrap.indent(body, '  ')}" if caption else body


def wrap(text: str, indent: str = "", hanging: str = "  ") -> str:
    """Break a long line; the lines that follow the first are indented by ``hanging``."""
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + hanging, break_on_hyphens=False
    )


def align_columns(header: Sequence[str], rows: Sequence[Sequence[object]], left: int = 1) -> str:
    """Align columns, each cell as its text: the first ``left`` to the left, the others to the right.

    >>> print(align_columns(["term", "value"], [["gap", "0.4"], ["noise", "12"]]))
    term   value
    gap      0.4
    noise     12
    """
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
