"""Blocks of a report (headings, sentences, lists, tables, code, links) and the cells in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable


@runtime_checkable
class Mathematics(Protocol):
    """Anything with LaTeX that prints as plain text, such as ``boundkit.algebra.printing.Formula``."""

    @property
    def latex(self) -> str:
        """The LaTeX, without delimiters."""


@dataclass(frozen=True)
class Tex:
    """Mathematics without an expression behind it, such as a claim: its LaTeX and its plain text."""

    latex: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Sentence:
    """Text and formulas, one after another."""

    pieces: tuple[str | Mathematics, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


Cell: TypeAlias = str | Mathematics | Sentence
"""What a table holds, and what a sentence is."""


def sentence(*pieces: Cell) -> Sentence:
    """Join pieces to one sentence."""
    flat: list[str | Mathematics] = []
    for piece in pieces:
        flat += piece.pieces if isinstance(piece, Sentence) else [piece]
    return Sentence(tuple(flat))


def join_cells(pieces: Iterable[Cell], separator: str = ", ") -> Sentence:
    """Join pieces to one sentence, with a separator between them."""
    parts = list(pieces)
    return sentence(*(p for k, part in enumerate(parts) for p in ((separator, part) if k else (part,))))


@dataclass(frozen=True)
class Heading:
    """The title of a report or of a part of it."""

    title: Cell


@dataclass(frozen=True)
class Sentences:
    """Sentences, one a line. ``wrapped``: a terminal breaks long lines."""

    lines: Sequence[Cell]
    wrapped: bool = False


@dataclass(frozen=True)
class Listing:
    """Items under a title, each an entry of its own; a terminal breaks long ones."""

    title: Cell
    items: Sequence[Cell]


@dataclass(frozen=True)
class Code:
    """Lines to be copied verbatim, under a title."""

    title: Cell
    lines: Sequence[str]


@dataclass(frozen=True)
class Display:
    """A formula on lines of its own, under a title, with sentences below it."""

    title: Cell
    formula: Mathematics
    notes: Sequence[Cell] = ()


@dataclass(frozen=True)
class Table:
    """A table with a short title; a terminal aligns its first ``left`` columns to the left."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int = 1
    caption: Cell = ""


@dataclass(frozen=True)
class Link:
    """A link to an address."""

    address: str
    text: str


Block: TypeAlias = Heading | Sentences | Listing | Code | Display | Table | Link
