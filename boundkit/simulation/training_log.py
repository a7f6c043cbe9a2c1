"""Training logs: one CSV of a run or of several, a row for each evaluated round.

Columns: ``round`` and ``loss``; optionally the settings ``m`` (clients), ``C`` (fraction that participates),
``tau`` (local steps), ``eta`` and ``eta_s`` (client and server step size), ``algorithm``, and ``run``, which
tells runs of one file apart. Further columns are quantities. Without ``run`` a new run begins where the round
does not increase.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import shorten, unknown
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.report.formatting import join_names
from boundkit.simulation.arrays import Array
from boundkit.simulation.atomic_files import write_columns

if TYPE_CHECKING:
    from boundkit.simulation.run import Run
    from boundkit.simulation.trajectory import Trajectory

ROUND, RUN, ALGORITHM = "round", "run", "algorithm"
SETTINGS = ("m", "C", "tau", "eta", "eta_s")
"""The settings of a run that a log may have as columns, by the symbols of theorems."""
FEWEST = 10
"""Evaluated rounds that a run needs."""
_VARIES = 1.5
"""Largest ratio of two values of a setting within a run whose mean stands for it."""


@dataclass(frozen=True, eq=False)
class LoggedRun:
    """One run of a log: ``values`` of a quantity at ``rounds``, its known ``settings``, and its name."""

    name: str
    rounds: Array
    values: Array
    settings: dict[str, float]
    algorithm: str | None = None

    def until(self, last: float) -> LoggedRun:
        """The run up to a round."""
        before = self.rounds <= last
        return LoggedRun(self.name, self.rounds[before], self.values[before], self.settings, self.algorithm)


def read_log(
    path: str | Path,
    quantity: str = "loss",
    round_column: str = ROUND,
    given: Mapping[str, float] | None = None,
) -> list[LoggedRun]:
    """Read the runs of a CSV.

    Parameters
    ----------
    path
        The file.
    quantity, round_column
        The columns of the quantity and of the round. Rows with an empty quantity were not evaluated.
    given
        Settings for which the file has no column.

    Raises
    ------
    BoundkitError
        One sentence with the file: no such column, no number in a cell, a run that diverged, too few rows,
        settings that change within a run.
    """
    path = Path(path)
    text = read_text(path, MOST_RECORD)
    try:
        rows = [row for row in csv.reader(StringIO(text, newline=None)) if any(map(str.strip, row))]
        if len(rows) > 2 and len(rows[-1]) < len(rows[0]) and not text.endswith("\n"):
            rows.pop()  # the process that wrote it ended in this row
        return _runs(rows, quantity, round_column, dict(given or {}), path.name)
    except csv.Error as error:
        raise BoundkitError(f"{path}: it is no CSV ({error}).") from None
    except BoundkitError as error:
        raise BoundkitError(f"{path}: {error}") from None


def _runs(
    rows: Sequence[Sequence[str]], quantity: str, round_column: str, given: dict[str, float], file: str
) -> list[LoggedRun]:
    if not rows:
        raise BoundkitError(f"it is empty, but a log has the columns {ROUND} and {quantity}.")
    header = [name.strip() for name in rows[0]]
    for sign, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            raise BoundkitError(f"its cells are separated by {word}, but those of a log are by commas.")
    for option, name in (("round", round_column), ("quantity", quantity)):
        if header.count(name) != 1:
            raise BoundkitError(
                f"there is no one column {name!r}; the columns are {shorten(', '.join(header), 200)}: name "
                f"yours with --{option}."
            )
    if doubled := [name for name in SETTINGS if name in given and name in header]:
        raise BoundkitError(f"{doubled[0]} is a column of the log and given besides; give it once.")
    places = {name: header.index(name) for name in (round_column, quantity, *SETTINGS) if name in header}
    labels = {name: header.index(name) for name in (RUN, ALGORITHM) if name in header}
    table: list[list[tuple[dict[str, float], int]]] = []
    names: list[tuple[str, str | None]] = []
    previous: Sequence[str] = ()
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise BoundkitError(f"row {line} has {len(row)} cells, but there are {len(header)} columns.")
        values = {name: _number(row[at], name, line) for name, at in places.items()}
        if (at_round := values[round_column]) is None:
            raise BoundkitError(f"row {line} has no {round_column}.")
        if not 0 <= at_round < np.inf:
            raise BoundkitError(
                f"row {line} has the {round_column} {row[places[round_column]].strip()}, but rounds are "
                "numbers from 0 on."
            )
        label = row[labels[RUN]].strip() if RUN in labels else ""
        algorithm = row[labels[ALGORITHM]].strip() or None if ALGORITHM in labels else None
        whole = {name: value for name, value in values.items() if value is not None}
        if row == previous:
            raise BoundkitError(f"row {line} is row {line - 1} again and would count twice; leave it out.")
        previous = row
        restarts = not table or whole[round_column] <= table[-1][-1][0][round_column]
        if not table or (label != names[-1][0] if RUN in labels else restarts):
            table.append([])
            names.append((label, algorithm))
        elif restarts:
            raise BoundkitError(
                f"row {line} has round {whole[round_column]:g} after round "
                f"{table[-1][-1][0][round_column]:g} of the same run."
            )
        table[-1].append((whole, line))
    if not table:
        raise BoundkitError("it has a header and no rows.")
    several = len(table) > 1
    if several and RUN not in labels and all(len(rows) == 1 for rows in table):
        raise BoundkitError(f"the {round_column} does not increase from row to row; sort the rows by it.")
    runs = []
    for k, (label, algorithm) in enumerate(names):
        name = f"{file}, run {label or k + 1}" if several else file
        runs.append(_run(table[k], name, algorithm, quantity, round_column, given))
    return runs


def _run(
    rows: Sequence[tuple[dict[str, float], int]],
    name: str, algorithm: str | None, quantity: str, round_column: str, given: dict[str, float],
) -> LoggedRun:  # fmt: skip
    own = name.partition(", ")[2] or "it"
    evaluated = [(values, line) for values, line in rows if quantity in values]
    for values, line in evaluated:
        if not np.isfinite(values[quantity]):
            raise BoundkitError(
                f"{quantity} is {values[quantity]} in round {values[round_column]:g} (row {line}): that run "
                "diverged; end the log before it, or leave the run out."
            )
    if len(evaluated) < FEWEST:
        raise BoundkitError(f"{own} has {len(evaluated)} evaluated rounds, but at least {FEWEST} are needed.")
    settings = dict(given)
    for setting in SETTINGS:
        column = np.array([values[setting] for values, _ in rows if setting in values])
        if not column.size:
            continue
        if not (np.isfinite(column) & (column > 0)).all():
            raise BoundkitError(f"{setting} must be above 0 in every row, but is {column.min():g} in one.")
        if column.max() > _VARIES * column.min():
            raise BoundkitError(
                f"{setting} goes from {column.min():g} to {column.max():g} within {name}; a run has constant "
                "settings, so cut it where they change."
            )
        settings[setting] = float(column[0] if np.ptp(column) == 0 else column.mean())
    rounds, values_of = (np.array([v[c] for v, _ in evaluated]) for c in (round_column, quantity))
    return LoggedRun(name, rounds, values_of, settings, algorithm)


def _number(cell: str, name: str, line: int) -> float | None:
    if not cell.strip():
        return None
    try:
        return float(cell)
    except ValueError:
        raise BoundkitError(
            f"row {line} has {cell.strip()!r} in the column {name}, which is no number."
        ) from None


def check_settings(settings: Mapping[str, Any]) -> dict[str, float]:
    """Settings as numbers above 0. Raises BoundkitError for another name or value."""
    for name, value in settings.items():
        if name not in SETTINGS:
            raise unknown("setting of a log", name, SETTINGS)
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.integer, np.floating))
            or not 0 < value < np.inf
        ):
            raise BoundkitError(f"{name} must be a number above 0, but {value!r} was given.")
        if name == "C" and value > 1:
            raise BoundkitError(
                f"C is the fraction of the clients that participates, but {value:g} was given."
            )
    return {name: float(value) for name, value in settings.items()}


def write_log(path: str | Path, run: Run, trajectory: Trajectory) -> Path:
    """Write the observables of a simulated run, replica after replica.

    Raises BoundkitError where the file cannot be written.
    """
    rounds = trajectory.rounds
    replicas, count = trajectory.replicas, len(rounds)
    sizes = [run.participation.size(t) for t in range(run.participation.period)]
    constants: dict[str, Any] = {"algorithm": run.algorithm.name, "m": run.problem.m}
    if all(size is not None for size in sizes):
        constants["C"] = float(np.mean([size or 0 for size in sizes])) / run.problem.m
    constants["tau"] = float(run.local_steps.mean())
    if run.offset is None:
        constants["eta"] = run.eta
    constants["eta_s"] = run.eta_s
    columns: dict[str, list[Any]] = {
        RUN: [r for r in range(1, replicas + 1) for _ in range(count)],
        ROUND: [int(t) for _ in range(replicas) for t in rounds],
        **{name: [value] * (replicas * count) for name, value in constants.items()},
        **{name: series.ravel().tolist() for name, series in trajectory.observed.items()},
    }
    write_columns(columns, Path(path))
    return Path(path)


def describe_settings(settings: Mapping[str, float]) -> str:
    """The settings in the order of SETTINGS, as name = value."""
    return join_names([f"{name} = {settings[name]:.4g}" for name in SETTINGS if name in settings])
