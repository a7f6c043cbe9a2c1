"""Records of demonstrations, as JSON: what a figure draws again without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.checksum import refuse_changed, with_checksum
from boundkit.verification.record import versions
from boundkit.verification.tabular_result import TabularResult

_FORMAT = 1
_KINDS: dict[str, type] = {
    "demonstration": str, "shows": str, "means": str, "values": dict, "columns": dict, "tables": list,
    "versions": dict,
}  # fmt: skip
_JSON: dict[type, str] = {str: "word", dict: "mapping", list: "list"}


def keep(found: TabularResult, path: Path) -> TabularResult:
    """Write the record whole, and give back what a reader of it will find: what is not finite is None.

    Raises BoundkitError where the file cannot be written.
    """
    told = {"format": _FORMAT, **found.to_dict(), "tables": found.tables, "versions": versions()}
    with replacing(path) as beside:
        text = json.dumps(with_checksum(told), ensure_ascii=False, allow_nan=False)
        beside.write_text(text + "\n", encoding="utf-8")
    return recalled(path)


def recalled(path: Path) -> TabularResult:
    """The demonstration in a record.

    Raises BoundkitError where the file is missing, is no such record, or is broken or damaged.
    """
    told = _read(path)
    tables = [(title, tuple(columns)) for title, columns in told["tables"]]
    return TabularResult(
        told["demonstration"], told["shows"], told["means"], told["values"], told["columns"], tables
    )


def is_of_today(path: Path) -> bool:
    """Whether a record is there, and of this version of boundkit: another may compute something else.

    A checkout that is not installed does not know its version, and takes what is there.
    """
    here = versions().get("boundkit")
    return path.is_file() and here in (None, _read(path)["versions"].get("boundkit"))


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise BoundkitError(f"there is no record {path}.")
    text = read_json_text(path, MOST_RECORD)
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("format") != _FORMAT or "demonstration" not in told:
        raise BoundkitError(f"{path} is not a record of a demonstration.")
    refuse_changed(told, path)
    broken = _broken(told)
    if broken:
        raise BoundkitError(f"{path} is a broken record: {broken}.")
    return told


def _broken(told: dict[str, Any]) -> str:
    """What is wrong in a record, in words; "" where nothing is."""
    for name, kind in _KINDS.items():
        if not isinstance(told.get(name), kind):
            return f"{name} {'must be a ' + _JSON[kind] if name in told else 'is missing'}"
    columns = told["columns"]
    for name, column in columns.items():
        if not isinstance(column, list) or any(isinstance(value, (list, dict)) for value in column):
            return f"the column {name!r} must be a list of numbers or words"
    for table in told["tables"]:
        match table:
            case [str(), [*names]] if all(isinstance(name, str) and name in columns for name in names):
                if len({len(columns[name]) for name in names}) > 1:
                    return f"the columns {', '.join(names)} are one table, and not of one length"
            case _:
                return "a table must be a title and a list of names of columns"
    return ""
