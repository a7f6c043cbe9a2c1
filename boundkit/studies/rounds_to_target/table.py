"""The table: rows of (algorithm, C, E, B), a column for every partition, and speed-ups over a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boundkit.studies.rounds_to_target.cells import FEDSGD, Cell, Question
from boundkit.studies.rounds_to_target.censored_median import Median, SpeedUp, median, speed_up


@dataclass(frozen=True)
class Entry:
    """One cell: its rounds at the best step size, and how many times fewer than the baseline's.

    ``eta_at_edge``: whether the best step size is the first or last of the grid, so that a wider grid may
    find a better one. ``best``: the median over replicas of the best level within the cap.
    """

    cell: Cell
    rounds: Median
    speed_up: SpeedUp | None
    eta: float
    eta_at_edge: bool
    steps: float
    reached: int
    replicas: int
    diverged: int
    best: float | None
    record: Mapping[str, Any] = field(hash=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; the curves stay in the record."""
        return {
            **self.cell.to_json(),
            "rounds": self.rounds.to_dict(),
            "speed_up": None if self.speed_up is None else self.speed_up.to_dict(),
            "eta": self.eta,
            "eta_at_edge": self.eta_at_edge,
            "local_steps": self.steps,
            "reached": self.reached,
            "replicas": self.replicas,
            "diverged": self.diverged,
            "best": self.best,
            "etas": self.record["etas"],
        }


@dataclass(frozen=True)
class Table:
    """``rows``: entries of one (algorithm, C, E, B), one a partition, in the order of ``question`` words.

    ``baseline``: what speed-ups are relative to, in words.
    """

    question: Question
    partitions: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    baseline: str
    level: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without NaN; B is null where it is all points of a client."""
        asked = self.question.to_json()
        return {
            **asked,
            "level": self.level,
            "baseline": self.baseline,
            "partitions": list(self.partitions),
            "cells": [entry.to_dict() for row in self.rows for entry in row],
        }

    def _repr_html_(self) -> str:
        from boundkit.algebra.notebook import html_table
        from boundkit.algebra.notebook import notes as sentences
        from boundkit.studies.rounds_to_target.output import as_text, notes

        header, rows, _ = as_text(self)
        return html_table(header, rows, "rounds to the target") + sentences(notes(self))

    def __str__(self) -> str:
        from boundkit.analysis.formatting import table
        from boundkit.studies.rounds_to_target.output import as_text, notes

        header, rows, left = as_text(self)
        return "\n".join([table(header, rows, left), "", *notes(self)])


def table_of(
    question: Question,
    records: Mapping[Cell, Mapping[str, Any]],
    baseline: str = "fedsgd",
    level: float = 0.95,
) -> Table:
    """The table of finished cells, in their order: speed-ups over FedSGD at the same C, or the first row."""
    partitions = tuple(dict.fromkeys(cell.partition for cell in records))
    medians = {cell: _median(record, question, level) for cell, record in records.items()}
    rows: dict[tuple[Any, ...], list[Entry]] = {}
    for cell, record in records.items():
        start = _baseline(cell, records, baseline)
        faster = None if start == cell else speed_up(medians[start], medians[cell])
        entry = _entry(cell, record, medians[cell], faster, question)
        rows.setdefault((cell.algorithm, cell.C, cell.B, cell.E), []).append(entry)
    first = next(iter(records))
    said = f"{FEDSGD} (E = 1, B = inf) at the same C" if baseline == "fedsgd" else _words(first)
    return Table(question, partitions, tuple(tuple(row) for row in rows.values()), said, level)


def _baseline(cell: Cell, cells: Mapping[Cell, Any], baseline: str) -> Cell:
    """The cell of the same partition that this one is compared with."""
    same = [c for c in cells if c.partition == cell.partition]
    if baseline == "first":
        return same[0]
    return next(c for c in same if c.name == FEDSGD and c.C == cell.C)


def _words(cell: Cell) -> str:
    return f"the first row ({str(cell).rsplit(', ', 1)[0]})"


def _of_chosen(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(e for e in record["etas"] if e["eta"] == record["chosen"])
    return found


def _median(record: Mapping[str, Any], question: Question, level: float) -> Median:
    found = median(_of_chosen(record)["rounds"], question.cap, level)
    return found if record["random"] else Median(found.value, found.censored)


def _entry(
    cell: Cell, record: Mapping[str, Any], rounds: Median, faster: SpeedUp | None, question: Question
) -> Entry:
    own, grid = _of_chosen(record), question.etas
    seen: Sequence[float] = sorted(b for b in own["best"] if b is not None)
    middle = None if not seen else (seen[(len(seen) - 1) // 2] + seen[len(seen) // 2]) / 2
    return Entry(
        cell=cell, rounds=rounds, speed_up=faster, eta=own["eta"],
        eta_at_edge=len(grid) > 1 and own["eta"] in (grid[0], grid[-1]), steps=record["steps"],
        reached=sum(r is not None for r in own["rounds"]), replicas=len(own["rounds"]),
        diverged=own["diverged"], best=middle, record=record,
    )  # fmt: skip
