"""Columns of numbers and text as CSV."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.simulation.atomic_files import replacing


def write_columns(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns with headers, in full digits; shorter columns and missing numbers are left empty.

    Raises BoundkitError where the file cannot be written.
    """
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows([_cell(v) for v in row] for row in zip_longest(*columns.values()))


def _cell(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    value = None if isinstance(value, float) and math.isnan(value) else value
    return repr(value) if isinstance(value, float) else value
