"""Results of any dataclass as single values and columns of tables."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.atomic_files import write_columns


@dataclass(frozen=True)
class TabularResult:
    """A result with its sentence (``shows``) and the meaning of its fields (``means``).

    An entry of a mapping, and a field of rows, is called "field key". ``tables``: the columns of each table,
    with the field whose rows they are, or "".
    """

    name: str
    shows: str
    means: str
    values: Mapping[str, Any]
    columns: Mapping[str, Sequence[Any]]
    tables: Sequence[tuple[str, Sequence[str]]]

    def to_dict(self) -> dict[str, Any]:
        """The JSON, with None for numbers that are not finite."""
        return {
            "demonstration": self.name, "shows": self.shows, "means": self.means,
            "values": {name: _finite(value) for name, value in self.values.items()},
            "columns": {name: [_finite(v) for v in column] for name, column in self.columns.items()},
        }  # fmt: skip

    def array(self, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """A column as numbers, with nan for None. Raises BoundkitError for an unknown column."""
        if column not in self.columns:
            raise unknown(f"column of {self.name}", column, self.columns)
        return np.array([np.nan if v is None else v for v in self.columns[column]], dtype=float)

    def write_csv(self, path: Path) -> None:
        """Write the columns atomically with all digits; None and the ends of shorter columns are empty.

        Raises BoundkitError where the file cannot be written.
        """
        write_columns(self.columns, path)


def tabulate_result(name: str, shows: str, result: Any) -> TabularResult:
    """Tabulate a dataclass of values, one-dimensional arrays, mappings to them and lists of rows, or rows.

    A row is a dataclass of values. Raises BoundkitError where a field is something else.
    """
    values: dict[str, Any] = {}
    columns: dict[str, Sequence[Any]] = {}
    tables: list[tuple[str, list[str]]] = []
    if _is_rows(result):
        columns |= _columns(result)
        return TabularResult(name, shows, _meaning(type(result[0])), values, columns, [("", [*columns])])
    means = [_meaning(type(result))]
    by_length: dict[int, list[str]] = {}
    labels_of_rows: dict[type, list[str]] = {}
    for label, part in _parts(result):
        if _is_rows(part):
            own = {f"{label} {key}": column for key, column in _columns(part).items()}
            labels_of_rows.setdefault(type(part[0]), []).append(label)
            tables.append((label, [*own]))
            columns |= own
        elif isinstance(part, (list, tuple)) or np.ndim(part):
            columns[label] = [_plain(label, value) for value in part]
            if len(part) not in by_length:
                by_length[len(part)] = []
                tables.append(("", by_length[len(part)]))
            by_length[len(part)].append(label)
        else:
            values[label] = _plain(label, part)
    means += [f"{' and '.join(labels)}: {_meaning(kind)}" for kind, labels in labels_of_rows.items()]
    return TabularResult(name, shows, " ".join(m for m in means if m), values, columns, tables)


def _is_rows(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and is_dataclass(part[0])


def _columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    names = [f.name for f in fields(rows[0])]
    return {name: [_plain(name, getattr(row, name)) for row in rows] for name in names}


def _parts(result: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, Mapping):
            yield from ((f"{field.name} {key}", entry) for key, entry in value.items())
        else:
            yield field.name, value


def _meaning(kind: type) -> str:
    """The docstring of the result in one line; a dataclass without one has only its signature."""
    text = inspect.getdoc(kind) or ""
    return "" if text.startswith(f"{kind.__name__}(") else " ".join(text.replace("``", "").split())


def _plain(label: str, value: Any) -> bool | int | float | str | None:
    if np.ndim(value) == 0 and isinstance(value, np.generic | np.ndarray):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise BoundkitError(f"{label} is a {type(value).__name__}, but it must be a number or a string.")


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
