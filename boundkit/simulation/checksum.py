"""Checksums of records: of JSON in a field of its own, of other files in a last line after their content.

A record without one, as boundkit 0.6 wrote them, is read unchecked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError

FIELD = "sha256"
"""Of a record in JSON: the SHA-256 of all its other fields, sorted by name."""
ANNOUNCED = "the SHA-256 of all bytes before the last line"
"""What a file with a last line says of itself inside, so that a lost last line is noticed."""
_HEAD = b"\nsha256 "
LENGTH = len(_HEAD) + 64 + 1
"""Bytes of the last line, with the line break before it."""


def with_checksum(told: Mapping[str, Any]) -> dict[str, Any]:
    """The record in JSON with its checksum."""
    return {**told, FIELD: _of_json(told)}


def refuse_changed(told: Mapping[str, Any], path: Path) -> None:
    """Raise BoundkitError where the checksum of a record in JSON is not that of its content."""
    if FIELD not in told:
        return
    try:
        same = told[FIELD] == _of_json(told)
    except (ValueError, RecursionError):  # it holds what JSON of ours never does
        same = False
    if not same:
        raise damaged(path)


def append_checksum(path: Path) -> None:
    """Add the last line to a file, which names ``ANNOUNCED`` inside."""
    content = path.read_bytes()
    with path.open("ab") as file:
        file.write(_HEAD + hashlib.sha256(content).hexdigest().encode() + b"\n")


def refuse_changed_file(path: Path) -> None:
    """Raise BoundkitError where the last line is not the checksum of the bytes before it, or is lost."""
    content = path.read_bytes()
    body, line = content[:-LENGTH], content[-LENGTH:]
    if line.startswith(_HEAD):
        if line != _HEAD + hashlib.sha256(body).hexdigest().encode() + b"\n":
            raise damaged(path)
    elif ANNOUNCED.encode() in content:
        raise damaged(path)


def _of_json(told: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in told.items() if name != FIELD}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def damaged(path: Path) -> BoundkitError:
    """The error for a record that is not as it was written."""
    return BoundkitError(f"{path} is damaged: its content does not match its checksum; make it again.")
