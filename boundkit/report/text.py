"""Reports as text for a terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from boundkit.report.blocks import Block, Cell, Code, Display, Heading, Link, Listing, Sentences, Table

WIDTH = 100
"""Of paragraphs, where no terminal is narrower."""


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
    body, room = align_columns(header, rows, left), _room() - 2 * bool(caption)
    above = 1
    if len(header) > 1 and max(map(len, body.splitlines())) > room:
        body, above = fit_columns(header, rows, room, left), 2  # with a rule below the header
    body = body if any(header) else "\n".join(body.splitlines()[above:])
    return f"{caption}\n{textwrap.indent(body, '  ')}" if caption else body


def wrap(text: str, indent: str = "", hanging: str = "  ") -> str:
    """Break a long line; the lines that follow the first are indented by ``hanging``."""
    kept = text.replace(" %", "\xa0%")  # stays with its number
    width = min(WIDTH, _room())
    return textwrap.fill(
        kept, width, initial_indent=indent, subsequent_indent=indent + hanging, break_on_hyphens=False
    ).replace("\xa0%", " %")


def _room() -> int:
    """The columns of the terminal; as many as are needed where something else reads."""
    return max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else sys.maxsize


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


def fit_columns(header: Sequence[str], rows: Sequence[Sequence[object]], width: int, left: int = 1) -> str:
    """Align columns within a width, with a rule below the header: the first never wraps, the others do.

    A name in the first column is there to be copied. The other columns stand beside it, or below it where
    that takes fewer lines, or where their longest words have no room beside it.

    >>> print(fit_columns(["name", "title"], [["sgd", "Stochastic gradient descent"]], 25, left=2))
    name  title
    ─────────────────────────
    sgd   Stochastic gradient
          descent
    """
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    first = max(len(line[0]) for line in lines) + 2
    words = [max((len(w) for line in lines for w in line[i].split()), default=0) for i in range(len(header))]
    below = _wrap_rows(lines, "  ", width, left)
    if len(header) == 1 or sum(words[1:]) + 2 * (len(words) - 2) <= width - first:
        beside = _wrap_rows(lines, " " * first, width, left)
        beside = [line[0].ljust(first) + text[first:] for line, text in zip(lines, beside, strict=True)]
    else:
        beside = []
    below = [f"{line[0]}\n{text}" for line, text in zip(lines, below, strict=True)]
    blocks = beside if beside and "\n".join(beside).count("\n") <= "\n".join(below).count("\n") else below
    blocks = ["\n".join(line.rstrip() for line in block.split("\n")) for block in blocks]
    longest = max(len(line) for block in blocks for line in block.split("\n"))
    return "\n".join([blocks[0], "─" * min(longest, width), *blocks[1:]])


def _wrap_rows(lines: Sequence[Sequence[str]], margin: str, width: int, left: int) -> list[str]:
    """The columns after the first, wrapped and aligned, behind a margin."""
    columns = [[line[i] for line in lines] for i in range(1, len(lines[0]))]
    natural = [max(map(len, column)) for column in columns]
    words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    widths = _shrink(natural, words, width - len(margin) - 2 * (len(natural) - 1))
    wrapped = [
        [textwrap.wrap(cell, w, break_on_hyphens=False) for cell, w in zip(line[1:], widths, strict=True)]
        for line in lines
    ]
    widths = [
        max(len(part) for cell in column for part in cell or [""]) for column in zip(*wrapped, strict=True)
    ]
    blocks = []
    for cells in wrapped:
        parts = [
            "  ".join(
                part.ljust(w) if i < left else part.rjust(w)
                for i, (part, w) in enumerate(zip(row, widths, strict=True), start=1)
            )
            for row in zip_longest(*cells, fillvalue="")
        ]
        blocks.append("\n".join(margin + part for part in parts or [""]))
    return blocks


def _shrink(natural: Sequence[int], words: Sequence[int], room: int) -> list[int]:
    """Widths that fill at most the room: the widest shrink, below their longest words only at last."""
    widths = [max(width, 1) for width in natural]
    for least in (words, [1] * len(widths)):
        while sum(widths) > room and (wide := [k for k, w in enumerate(widths) if w > max(least[k], 1)]):
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths
