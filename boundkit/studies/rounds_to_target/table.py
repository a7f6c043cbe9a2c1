"""Table of rounds to the target: a row per (algorithm, C, E, B), a column per partition, speed-ups."""

from __future__ import annotations

import csv
import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boundkit.report import Report, Reported, Sentences
from boundkit.report import Table as ReportTable
from boundkit.report.formatting import format_count
from boundkit.simulation.atomic_files import replacing, write_text
from boundkit.studies.rounds_to_target.first_passage import CensoredMedian, SpeedUp, median, speed_up
from boundkit.studies.rounds_to_target.query import FEDSGD, GridCell, RoundsQuery


@dataclass(frozen=True)
class CellResult:
    """One cell: its rounds at the best step size, and the speed-up over the baseline.

    ``eta_at_edge``: whether the best step size is the smallest or largest of the grid, so that a wider grid
    may contain a better one. ``best``: the median over replicas of the best level within the cap.
    """

    cell: GridCell
    rounds: CensoredMedian
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


@dataclass(frozen=True, repr=False)
class RoundsTable(Reported):
    """``rows``: the entries of one (algorithm, C, E, B), one per partition.

    ``baseline``: description of the cell that speed-ups are relative to.
    """

    query: RoundsQuery
    partitions: tuple[str, ...]
    rows: tuple[tuple[CellResult, ...], ...]
    baseline: str
    level: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without NaN; B is null where it is all points of a client."""
        return {
            **self.query.to_json(),
            "level": self.level,
            "baseline": self.baseline,
            "partitions": list(self.partitions),
            "cells": [entry.to_dict() for row in self.rows for entry in row],
        }

    def report(self) -> Report:
        """The rounds of every cell, and the sentences that explain them."""
        return Report((ReportTable(*_format_rows(self)), Sentences(_notes(self))))


def make_table(
    query: RoundsQuery,
    records: Mapping[GridCell, Mapping[str, Any]],
    baseline: str = "fedsgd",
    level: float = 0.95,
) -> RoundsTable:
    """Table of computed cells, in their order, with speed-ups over FedSGD at the same C or the first row."""
    partitions = tuple(dict.fromkeys(cell.partition for cell in records))
    medians = {cell: _median(record, query, level) for cell, record in records.items()}
    rows: dict[tuple[Any, ...], list[CellResult]] = {}
    for cell, record in records.items():
        reference = _baseline(cell, records, baseline)
        faster = None if reference == cell else speed_up(medians[reference], medians[cell])
        entry = _entry(cell, record, medians[cell], faster, query)
        rows.setdefault((cell.algorithm, cell.C, cell.B, cell.E), []).append(entry)
    first = next(iter(records))
    described = f"{FEDSGD} (E = 1, B = inf) at the same C" if baseline == "fedsgd" else _describe_row(first)
    return RoundsTable(query, partitions, tuple(tuple(row) for row in rows.values()), described, level)


def _baseline(cell: GridCell, cells: Mapping[GridCell, Any], baseline: str) -> GridCell:
    """Baseline cell of the same partition."""
    same = [c for c in cells if c.partition == cell.partition]
    if baseline == "first":
        return same[0]
    return next(c for c in same if c.name == FEDSGD and c.C == cell.C)


def _describe_row(cell: GridCell) -> str:
    return f"the first row ({str(cell).rsplit(', ', 1)[0]})"


def _at_best_step(record: Mapping[str, Any]) -> Mapping[str, Any]:
    result: Mapping[str, Any] = next(e for e in record["etas"] if e["eta"] == record["chosen"])
    return result


def _median(record: Mapping[str, Any], query: RoundsQuery, level: float) -> CensoredMedian:
    result = median(_at_best_step(record)["rounds"], query.cap, level)
    return result if record["random"] else CensoredMedian(result.value, result.censored)


def _entry(
    cell: GridCell,
    record: Mapping[str, Any],
    rounds: CensoredMedian,
    faster: SpeedUp | None,
    query: RoundsQuery,
) -> CellResult:
    own, grid = _at_best_step(record), query.etas
    levels = [level for level in own["best"] if level is not None]
    return CellResult(
        cell=cell, rounds=rounds, speed_up=faster, eta=own["eta"],
        eta_at_edge=len(grid) > 1 and own["eta"] in (grid[0], grid[-1]), steps=record["steps"],
        reached=sum(r is not None for r in own["rounds"]), replicas=len(own["rounds"]),
        diverged=own["diverged"], best=statistics.median(levels) if levels else None, record=record,
    )  # fmt: skip


EDGE = "*"
"""Marks a best step size at the edge of the grid."""


def _format_rows(table: RoundsTable) -> tuple[list[str], list[list[str]], int]:
    """Header, rows, and the number of left-aligned columns.

    Each partition has three columns: rounds with the speed-up, the interval of the rounds, the step size.
    """
    entries = [row[0] for row in table.rows]
    several_C = len({e.cell.C for e in entries}) > 1
    left = 1 + several_C
    header = ["algorithm", *(["C"] if several_C else []), "E", "B", "u"]
    for word in table.partitions:
        header += ["IID" if word == "iid" else f"non-IID ({word})", "interval", "eta"]
    rows = []
    for row in table.rows:
        cell = row[0].cell
        line = [cell.name, *([f"{cell.C:g}"] if several_C else []), f"{cell.E:g}",
                "inf" if cell.B is None else str(cell.B), _steps(row)]  # fmt: skip
        for entry in row:
            line += [_cell(entry), _interval(entry.rounds, table.query.cap),
                     f"{entry.eta:g}{EDGE if entry.eta_at_edge else ''}"]  # fmt: skip
        rows.append(line)
    return header, rows, left


def _notes(table: RoundsTable) -> list[str]:
    """Sentences that explain the numbers of the table."""
    query, entries = table.query, [e for row in table.rows for e in row]
    fractions = {e.cell.C for e in entries}
    at = f", C = {fractions.pop():g}" if len(fractions) == 1 else ""
    sentences = [
        f"Rounds until {query.target}, median of {format_count(query.replicas, 'replica')}; "
        f"{format_count(query.clients, 'client')}{at}; "
        f"(x) relative to {table.baseline}.",
        "Read off the best value so far, with straight lines between rounds; u: mean local steps a round.",
    ]
    coverage = {e.rounds.coverage for e in entries} - {None}
    if coverage:
        least = min(c for c in coverage if c is not None)
        short = f", which {query.replicas} replicas do not reach" if least < table.level else ""
        sentences.append(
            f"Interval of the median from order statistics, coverage at least {100 * least:.4g} %"
            f"{f' (requested: {100 * table.level:g} %{short})' if short else ''}."
        )
    if len(query.etas) > 1:
        grid = ", ".join(f"{eta:g}" for eta in query.etas)
        sentences.append(
            f"eta: the best of {grid} for each cell, chosen on these replicas; the interval does not "
            "count that choice."
        )
    if any(e.eta_at_edge for e in entries):
        sentences.append(f"{EDGE} at the edge of the grid: a wider one may do better.")
    if any(e.rounds.censored or (e.rounds.high is None and e.rounds.low is not None) for e in entries):
        sentences.append(
            f"> : not reached within {query.cap} rounds by some replicas, which are counted as later."
        )
    if any(e.diverged for e in entries):
        sentences.append("Some replicas diverged, and are counted as never reaching the target.")
    return sentences


TABLE_FILES = ("table.csv", "table.json")
"""Names of the files that write_table writes."""


def write_table(table: RoundsTable, folder: str | Path) -> tuple[Path, Path]:
    """Write ``folder/table.csv``, one line per cell in full precision, and ``folder/table.json``, atomically.

    Raises BoundkitError where they cannot be written.
    """
    csv_path, json_path = (Path(folder) / name for name in TABLE_FILES)
    with replacing(csv_path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "C", "E", "B", "partition", "rounds", "censored", "low", "high",
                         "coverage", "speed_up", "speed_up_bound", "speed_up_low", "speed_up_high", "eta",
                         "eta_at_edge", "local_steps", "reached", "replicas", "best"])  # fmt: skip
        for entry in (e for row in table.rows for e in row):
            writer.writerow(_line(entry))
    write_text(json_path, json.dumps(table.to_dict(), allow_nan=False))
    return csv_path, json_path


def _line(entry: CellResult) -> list[object]:
    cell, rounds, faster = entry.cell, entry.rounds, entry.speed_up
    quotient = [None] * 4 if faster is None else [faster.factor, faster.bound, faster.low, faster.high]
    return [cell.algorithm, cell.C, cell.E, "inf" if cell.B is None else cell.B, cell.partition,
            rounds.value, rounds.censored, rounds.low, rounds.high, rounds.coverage, *quotient, entry.eta,
            entry.eta_at_edge, entry.steps, entry.reached, entry.replicas, entry.best]  # fmt: skip


def format_rounds(rounds: float) -> str:
    """Rounds in few digits.

    >>> format_rounds(7.6402), format_rounds(626.31)
    ('7.6', '626')
    """
    return f"{rounds:.1f}" if rounds < 100 else f"{rounds:.0f}"


def _cell(entry: CellResult) -> str:
    value = ("> " if entry.rounds.censored else "") + format_rounds(entry.rounds.value)
    return value if entry.speed_up is None else f"{value} ({_factor(entry.speed_up)})"


def _factor(faster: SpeedUp) -> str:
    shown = f"{faster.factor:.1f}" if faster.factor >= 0.95 else f"{faster.factor:.2f}"
    return f"{faster.bound}{' ' if faster.bound else ''}{shown}x"


def _interval(rounds: CensoredMedian, cap: int) -> str:
    if rounds.low is None:
        return "-"
    if rounds.high is None and rounds.low >= cap:
        return f"> {cap}"
    return (
        f"{format_rounds(rounds.low)} to {f'> {cap}' if rounds.high is None else format_rounds(rounds.high)}"
    )


def _steps(row: tuple[CellResult, ...]) -> str:
    return " / ".join(dict.fromkeys(f"{entry.steps:.3g}" for entry in row))
