"""Tables of numbers that the sources print, as data: each with its paper, its place, and what was read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from boundkit.algebra import Source
from boundkit.algebra.errors import unknown
from boundkit.lecture.bibliography import PAPERS

_FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class PublishedTable:
    """A printed table: ``read`` is the text from which the numbers were taken, ``note`` its setting."""

    name: str
    title: str
    source: Source
    read: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@cache
def published_tables() -> dict[str, PublishedTable]:
    """Return all tables, by name.

    >>> published_tables()["fednova_cifar10"].rows[1]
    ('2', 'momentum', '65.26 (2.42)', '73.32 (0.29)')
    """
    entries = json.loads(_FILE.read_text(encoding="utf-8"))
    return {
        entry["name"]: PublishedTable(
            entry["name"],
            entry["title"],
            PAPERS[entry["paper"]].at(entry["place"]),
            entry["read"],
            entry["note"],
            tuple(entry["header"]),
            tuple(map(tuple, entry["rows"])),
        )
        for entry in entries
    }


def published_table(name: str) -> PublishedTable:
    """Return a table. Raises BoundkitError for an unknown name, with near ones."""
    tables = published_tables()
    if name not in tables:
        raise unknown("published table", name, tables)
    return tables[name]
