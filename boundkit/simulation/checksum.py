"""Checksums of records: in a field of JSON records, in an appended last line of other files.

A record without one, as in boundkit 0.6, is read unchecked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError

FIELD = "sha256"
"""Field of a JSON record: the SHA-256 of all its other fields, sorted by name."""
ANNOUNCED = "the SHA-256 of all bytes before the last line"
"""Announcement inside a file with a checksum line, so that a missing last line is detected."""
_HEAD = b"\nsha256 "
LENGTH = len(_HEAD) + 64 + 1
"""Bytes of the last line, including the preceding line break."""


def with_checksum(record: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON record with its checksum."""
    return {**record, FIELD: _of_json(record)}


def refuse_changed(record: Mapping[str, Any], path: Path) -> None:
    """Raise BoundkitError where the checksum of a JSON record does not match its content."""
    if FIELD not in record:
        return
    try:
        same = record[FIELD] == _of_json(record)
    except (ValueError, RecursionError):  # it contains values that boundkit never writes
        same = False
    if not same:
        raise damaged(path)


def append_checksum(path: Path) -> None:
    """Append the checksum line to a file that contains ``ANNOUNCED``."""
    content = path.read_bytes()
    with path.open("ab") as file:
        file.write(_HEAD + hashlib.sha256(content).hexdigest().encode() + b"\n")


def refuse_changed_file(path: Path) -> None:
    """Raise BoundkitError where the last line is missing or is not the checksum of the bytes before it."""
    content = path.read_bytes()
    body, line = content[:-LENGTH], content[-LENGTH:]
    if line.startswith(_HEAD):
        if line != _HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n":
            raise damaged(path)
    elif ANNOUNCED.encode() in content:
        raise damaged(path)


def _of_json(record: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in record.items() if name != FIELD}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def damaged(path: Path) -> BoundkitError:
    """The error for a damaged record."""
    return BoundkitError(f"{path} is damaged: its content does not match its checksum; make it again.")
