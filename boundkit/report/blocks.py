"""Blocks of a report: headings, sentences, lists, tables, code, links and references to figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from boundkit.report.cells import Cell


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
class Table:
    """A table with a short title; a terminal aligns its first ``left`` columns to the left."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int = 1
    caption: str = ""


@dataclass(frozen=True)
class Link:
    """A link to an address."""

    address: str
    text: str


Block: TypeAlias = Heading | Sentences | Listing | Code | Table | Link
