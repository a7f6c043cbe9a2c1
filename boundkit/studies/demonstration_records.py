"""Records of demonstrations as JSON, from which figures are drawn without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.checksum import refuse_changed, with_checksum
from boundkit.verification.record import installed_version, versions
from boundkit.verification.tabular_result import TabularResult

_FORMAT = 1
_KINDS: dict[str, type] = {
    "demonstration": str, "shows": str, "means": str, "values": dict, "columns": dict, "tables": list,
    "versions": dict,
}  # fmt: skip
_JSON: dict[type, str] = {str: "word", dict: "mapping", list: "list"}


def write_demonstration(result: TabularResult, path: Path) -> TabularResult:
    """Write the record atomically and return it as read back: what is not finite is None.

    Raises BoundkitError where the file cannot be written.
    """
    data = {"format": _FORMAT, **result.to_dict(), "tables": result.tables, "versions": versions()}
    write_text(path, json.dumps(with_checksum(data), ensure_ascii=False, allow_nan=False) + "\n")
    return read_demonstration(path)


def read_demonstration(path: Path) -> TabularResult:
    """Read a record.

    Raises BoundkitError where the file is missing, is no such record, or is broken or damaged.
    """
    data = _read(path)
    tables = [(title, tuple(columns)) for title, columns in data["tables"]]
    return TabularResult(
        data["demonstration"], data["shows"], data["means"], data["values"], data["columns"], tables
    )


def is_current(path: Path) -> bool:
    """Whether the record exists and was written by this version of boundkit.

    A checkout that is not installed has no version and accepts any record.
    """
    version = installed_version("boundkit")
    return path.is_file() and version in (None, _read(path)["versions"].get("boundkit"))


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise BoundkitError(f"there is no record {path}.")
    text = read_json_text(path, MOST_RECORD)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != _FORMAT or "demonstration" not in data:
        raise BoundkitError(f"{path} is not a record of a demonstration.")
    refuse_changed(data, path)
    defect = _defect(data)
    if defect:
        raise BoundkitError(f"{path} is a broken record: {defect}.")
    return data


def _defect(data: dict[str, Any]) -> str:
    """Description of the first defect of a record; "" where there is none."""
    for name, kind in _KINDS.items():
        if not isinstance(data.get(name), kind):
            return f"{name} {'must be a ' + _JSON[kind] if name in data else 'is missing'}"
    columns = data["columns"]
    for name, column in columns.items():
        if not isinstance(column, list) or any(isinstance(value, (list, dict)) for value in column):
            return f"the column {name!r} must be a list of numbers or words"
    for table in data["tables"]:
        match table:
            case [str(), [*names]] if all(isinstance(name, str) and name in columns for name in names):
                if len({len(columns[name]) for name in names}) > 1:
                    return f"the columns {', '.join(names)} are one table, and not of one length"
            case _:
                return "a table must be a title and a list of names of columns"
    return ""
