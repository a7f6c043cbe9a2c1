"""A page as data: sections of sentences and a table, which a terminal, Markdown and HTML show alike."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from boundkit.algebra.notebook import Cell
from boundkit.analysis.formatting import table

WIDTH = 110
OUTCOME = "outcome"
"""The header of a column whose cells are outcomes."""


@dataclass(frozen=True)
class Section:
    """``pairs``: words and what is said of each; ``lines``: sentences; ``rows``: a table under ``header``.

    ``code``: lines to be copied as they are.
    """

    title: str
    lines: tuple[Cell, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    pairs: tuple[tuple[str, Cell], ...] = ()
    code: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lines or self.rows or self.pairs)

    def to_text(self) -> str:
        """For a terminal."""
        widest = max((len(name) for name, _ in self.pairs), default=0)
        said = [self.title, *(_wrapped(str(what), f"{name:<{widest}}  ") for name, what in self.pairs)]
        said += [_wrapped(str(line)) for line in self.lines]
        if self.rows:
            said += ["  " + row for row in table(self.header, self._folded(), len(self.header)).splitlines()]
        return "\n".join([*said, *(f"    {line}" for line in self.code)])

    def _folded(self) -> list[list[str]]:
        """The rows, their last column in as many lines as it needs."""
        before = [
            max(len(str(row[k])) for row in (self.header, *self.rows)) for k in range(len(self.header) - 1)
        ]
        room = max(WIDTH - sum(before) - 2 * len(self.header), 40)
        folded = []
        for *first, last in self.rows:
            pieces = textwrap.wrap(str(last), room, break_long_words=False, break_on_hyphens=False) or [""]
            folded.append([*map(str, first), pieces[0]])
            folded += [[*("" for _ in first), piece] for piece in pieces[1:]]
        return folded


def _wrapped(line: str, name: str = "") -> str:
    indent = " " * (2 + len(line) - len(line.lstrip()))
    hanging = " " * (len(indent) + (len(name) or 2))
    return textwrap.fill(
        line.strip(), WIDTH, initial_indent=indent + name, subsequent_indent=hanging,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
