"""The table in words, in the shape of the notes and the paper, and as files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from boundkit.simulation.atomic_files import replacing
from boundkit.studies.rounds_to_target.censored_median import Median, SpeedUp
from boundkit.studies.rounds_to_target.table import Entry, Table

EDGE = "*"


def as_text(table: Table) -> tuple[list[str], list[list[str]], int]:
    """Header and rows of text, and how many columns are names: (E, B), then groups IID, non-IID.

    Of a column, rounds with the speed-up, the interval of the rounds, and the step size.
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
            line += [_cell(entry), _interval(entry.rounds, table.question.cap),
                     f"{entry.eta:g}{EDGE if entry.eta_at_edge else ''}"]  # fmt: skip
        rows.append(line)
    return header, rows, left


def notes(table: Table) -> list[str]:
    """What the numbers are, in sentences."""
    asked, entries = table.question, [e for row in table.rows for e in row]
    fractions = {e.cell.C for e in entries}
    at = f", C = {fractions.pop():g}" if len(fractions) == 1 else ""
    said = [
        f"Rounds until {asked.target}, median of {asked.replicas} replicas; {asked.clients} clients{at}; "
        f"(x) relative to {table.baseline}.",
        "Read off the best value so far, with straight lines between rounds; u: mean local steps a round.",
    ]
    coverage = {e.rounds.coverage for e in entries} - {None}
    if coverage:
        least = min(c for c in coverage if c is not None)
        short = f", which {asked.replicas} replicas do not reach" if least < table.level else ""
        said.append(
            f"Interval of the median from order statistics, coverage at least {100 * least:.4g} %"
            f"{f' (asked: {100 * table.level:g} %{short})' if short else ''}."
        )
    if len(asked.etas) > 1:
        grid = ", ".join(f"{eta:g}" for eta in asked.etas)
        said.append(f"eta: the best of {grid} for each cell, chosen on these replicas; the interval does not "
                    "count that choice.")  # fmt: skip
    if any(e.eta_at_edge for e in entries):
        said.append(f"{EDGE} at the edge of the grid: a wider one may do better.")
    if any(e.rounds.censored or (e.rounds.high is None and e.rounds.low is not None) for e in entries):
        said.append(
            f"> : not reached within {asked.cap} rounds by some replicas, which are counted as later."
        )
    if any(e.diverged for e in entries):
        said.append("Some replicas diverged, and are counted as never arriving.")
    return said


TABLES = ("table.csv", "table.json")
"""The files of a table, in its folder."""


def write_table(table: Table, folder: str | Path) -> tuple[Path, Path]:
    """Write ``folder/table.csv``, a line a cell in full digits, and ``folder/table.json``, each whole.

    Raises BoundkitError where they cannot be written.
    """
    lines, whole = (Path(folder) / name for name in TABLES)
    with replacing(lines) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm", "C", "E", "B", "partition", "rounds", "censored", "low", "high",
                         "coverage", "speed_up", "speed_up_bound", "speed_up_low", "speed_up_high", "eta",
                         "eta_at_edge", "local_steps", "reached", "replicas", "best"])  # fmt: skip
        for entry in (e for row in table.rows for e in row):
            writer.writerow(_line(entry))
    with replacing(whole) as beside:
        beside.write_text(json.dumps(table.to_dict(), allow_nan=False), encoding="utf-8")
    return lines, whole


def _line(entry: Entry) -> list[object]:
    cell, rounds, faster = entry.cell, entry.rounds, entry.speed_up
    quotient = [None] * 4 if faster is None else [faster.factor, faster.bound, faster.low, faster.high]
    return [cell.algorithm, cell.C, cell.E, "inf" if cell.B is None else cell.B, cell.partition,
            rounds.value, rounds.censored, rounds.low, rounds.high, rounds.coverage, *quotient, entry.eta,
            entry.eta_at_edge, entry.steps, entry.reached, entry.replicas, entry.best]  # fmt: skip


def number(rounds: float) -> str:
    """Rounds in few digits.

    >>> number(7.6402), number(626.31)
    ('7.6', '626')
    """
    return f"{rounds:.1f}" if rounds < 100 else f"{rounds:.0f}"


def _cell(entry: Entry) -> str:
    value = ("> " if entry.rounds.censored else "") + number(entry.rounds.value)
    return value if entry.speed_up is None else f"{value} ({_factor(entry.speed_up)})"


def _factor(faster: SpeedUp) -> str:
    shown = f"{faster.factor:.1f}" if faster.factor >= 0.95 else f"{faster.factor:.2f}"
    return f"{faster.bound}{' ' if faster.bound else ''}{shown}x"


def _interval(rounds: Median, cap: int) -> str:
    if rounds.low is None:
        return "-"
    if rounds.high is None and rounds.low >= cap:
        return f"> {cap}"
    return f"{number(rounds.low)} to {f'> {cap}' if rounds.high is None else number(rounds.high)}"


def _steps(row: tuple[Entry, ...]) -> str:
    return " / ".join(dict.fromkeys(f"{entry.steps:.3g}" for entry in row))
