"""Records of demonstrations, as JSON: what a figure draws again without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.verify.demonstrated import Demonstrated
from boundkit.verify.files import replacing
from boundkit.verify.record import versions

_FORMAT = 1


def keep(found: Demonstrated, path: Path) -> Demonstrated:
    """Write the record whole, and give back what a reader of it will find: what is not finite is None.

    Raises BoundkitError where the file cannot be written.
    """
    told = {"format": _FORMAT, **found.to_dict(), "tables": found.tables, "versions": versions()}
    with replacing(path) as beside:
        beside.write_text(json.dumps(told, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
    return recalled(path)


def recalled(path: Path) -> Demonstrated:
    """The demonstration in a record.

    Raises BoundkitError where the file is missing or is no such record.
    """
    told = _read(path)
    tables = [(title, tuple(columns)) for title, columns in told["tables"]]
    return Demonstrated(
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
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict) or told.get("format") != _FORMAT or "demonstration" not in told:
        raise BoundkitError(f"{path} is not a record of a demonstration.")
    return told
