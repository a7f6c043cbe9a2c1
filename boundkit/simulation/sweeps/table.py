"""The rows of a sweep as a CSV file for spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.sweeps.simulations import Row

TABLE = "table.csv"
"""The name of the table in a folder of records."""


def write_table(rows: Sequence[Row], folder: str | Path) -> Path:
    """Write ``folder/table.csv`` atomically, a line for every row; missing numbers are left empty.

    Raises BoundkitError where it cannot be written.
    """
    settings = list(dict.fromkeys(name for row in rows for name in row.settings))
    seen = list(dict.fromkeys(name for row in rows for name in row.final))
    columns = [part for n in seen for part in (n, f"{n}_standard_error")]
    header = [*settings, "outcome", "diverged_at", *columns]
    path = Path(folder) / TABLE
    with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([*header, "record"])
        for row in rows:
            ends = [part for n in seen for part in row.final.get(n, (None, None))]
            kept = None if row.record is None else Path(row.record).name
            lines.writerow([*(_cell(row.settings.get(n)) for n in settings), row.outcome, row.diverged_at,
                            *map(_cell, ends), kept])  # fmt: skip
    return path


def _cell(value: Any) -> Any:
    """A number in full digits, a list as JSON."""
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value) if isinstance(value, (list, dict, bool)) else value
