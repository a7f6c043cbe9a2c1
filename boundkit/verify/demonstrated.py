"""The result of a demonstration, whatever dataclass it is, as single values and columns."""

from __future__ import annotations

import csv
import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.verify.files import replacing


@dataclass(frozen=True)
class Demonstrated:
    """``shows``: the sentence; ``means``: what the fields are; a mapping's entry is called "field key"."""

    name: str
    shows: str
    means: str
    values: Mapping[str, Any]
    columns: Mapping[str, Sequence[Any]]

    def to_dict(self) -> dict[str, Any]:
        """For JSON: what is not finite is None."""
        return {
            "demonstration": self.name, "shows": self.shows, "means": self.means,
            "values": {name: _finite(value) for name, value in self.values.items()},
            "columns": {name: [_finite(v) for v in column] for name, column in self.columns.items()},
        }  # fmt: skip

    def write_csv(self, path: Path) -> None:
        """The columns in full digits, whole; a shorter column is empty further down, and so is no number.

        Raises BoundkitError where the file cannot be written.
        """
        with replacing(path) as beside, beside.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(self.columns)
            lines.writerows([_cell(v) for v in row] for row in zip_longest(*self.columns.values()))


def demonstrate(name: str) -> Demonstrated:
    """Run a demonstration. Raises BoundkitError for a name that is not there."""
    from boundkit.verify.demonstrations import demonstration, sentence

    return read_result(name, sentence(name), demonstration(name)())


def read_result(name: str, shows: str, result: Any) -> Demonstrated:
    """A dataclass of values, one-dimensional arrays and mappings to them, or a list of rows of values.

    Raises BoundkitError where a field is something else.
    """
    values: dict[str, Any] = {}
    columns: dict[str, Sequence[Any]] = {}
    if isinstance(result, list):
        kind = type(result[0])
        columns = {f.name: [_plain(f.name, getattr(row, f.name)) for row in result] for f in fields(kind)}
        return Demonstrated(name, shows, _meaning(kind), values, columns)
    for label, part in _parts(result):
        if isinstance(part, (list, tuple)) or np.ndim(part):
            columns[label] = [_plain(label, value) for value in part]
        else:
            values[label] = _plain(label, part)
    return Demonstrated(name, shows, _meaning(type(result)), values, columns)


def _parts(result: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, Mapping):
            yield from ((f"{field.name} {key}", entry) for key, entry in value.items())
        else:
            yield field.name, value


def _meaning(kind: type) -> str:
    """The docstring of the result in one line; a dataclass without one has only its signature."""
    said = inspect.getdoc(kind) or ""
    return "" if said.startswith(f"{kind.__name__}(") else " ".join(said.replace("``", "").split())


def _plain(label: str, value: Any) -> bool | int | float | str | None:
    if np.ndim(value) == 0 and isinstance(value, np.generic | np.ndarray):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise BoundkitError(f"{label} holds a {type(value).__name__}; one number or word is needed.")


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    value = None if isinstance(value, float) and math.isnan(value) else value
    return repr(value) if isinstance(value, float) else value
