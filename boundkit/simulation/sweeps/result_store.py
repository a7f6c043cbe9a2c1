"""A folder of finished items, each with a key made of its inputs: what is there and whole is not redone.

Beside an item ``NAME`` lies a stamp ``.sweep/NAME.json`` with the key and the SHA-256 of the item's bytes.
The item is written first and the stamp last, each whole or not at all; so an item whose inputs are
others now, that was torn or edited, or that an interrupt left without its stamp, is computed again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, check_input_file, read_text
from boundkit.simulation.atomic_files import refuse_unwritable, remove_abandoned, replacing
from boundkit.simulation.checksum import damaged

_STAMPS = ".sweep"
_COUNTED = ("algebra", "analysis", "simulation", "verification")
"""The subpackages whose source decides every result; a theorem is a part of its own key."""
_SHOWN = 3


class Store:
    """Finished items under ``folder``; ``fresh`` takes none of them for finished.

    Raises BoundkitError where the folder cannot be made or written.
    """

    def __init__(self, folder: str | Path, fresh: bool = False) -> None:
        self.folder, self.fresh = Path(folder), fresh
        self._finished: dict[str, None] = {}
        refuse_unwritable(self.folder / _STAMPS / "stamp.json")
        remove_abandoned(self.folder)

    def path(self, name: str) -> Path:
        """Where the item of that name lies, or will."""
        return self.folder / name

    def has(self, name: str, key: str) -> bool:
        """Whether the item is there, whole, and made of the same inputs."""
        if self.fresh:
            return False
        try:
            there = bool(_read(self._stamp(name)) == {"key": key, "sha256": _digest(self.path(name))})
        except OSError:
            return False
        if there:
            self._finished[name] = None
        return there

    def write(self, name: str, key: str, text: str) -> None:
        """Write a finished item and its stamp."""
        with replacing(self.path(name)) as beside:
            beside.write_text(text, encoding="utf-8")
        self.stamp(name, key)

    def stamp(self, name: str, key: str) -> None:
        """Say that the item, which is written, is finished and made of these inputs."""
        with replacing(self._stamp(name)) as beside:
            text = json.dumps({"key": key, "sha256": _digest(self.path(name))})
            beside.write_text(text, encoding="utf-8")
        self._finished[name] = None

    def refuse_missing(self) -> None:
        """Raise BoundkitError where an item that was finished has been removed in the meantime."""
        missing = [
            name for name in self._finished if not (self.path(name).is_file() and self._stamp(name).is_file())
        ]
        if missing:
            shown = ", ".join(missing[:_SHOWN])
            more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
            raise BoundkitError(
                f"{len(missing)} of {len(self._finished)} records were removed from {self.folder} while the "
                f"command ran: {shown}{more}; the same command makes them again."
            )

    def _stamp(self, name: str) -> Path:
        return self.folder / _STAMPS / f"{name}.json"


def refuse_changed_item(path: Path) -> None:
    """Raise BoundkitError where an item is not what its stamp says; without a stamp it is not checked."""
    stamp = _read(path.parent / _STAMPS / f"{path.name}.json")
    if isinstance(stamp, dict) and stamp.get("sha256") != _digest(path):
        raise damaged(path)


def key_of(*above: str, **inputs: Any) -> str:
    """A key for inputs, which are JSON values, and for the program that works on them.

    ``above``: floors above this one that decide the result as well.
    """
    said = json.dumps({"inputs": inputs, "program": program(*above)}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(said.encode()).hexdigest()


@cache
def program(*above: str) -> dict[str, str]:
    """boundkit's version and a digest of the source that decides results, and the packages it stands on."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for floor in (*_COUNTED, *above):
        for file in sorted((root / floor).rglob("*.py")):
            digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    found = {"source": digest.hexdigest()}
    for name in ("boundkit", "numpy", "scipy", "sympy", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _read(stamp: Path) -> Any:
    """What a stamp says; None where it is missing or broken."""
    try:
        return json.loads(read_text(stamp, MOST_RECORD))
    except (OSError, ValueError, RecursionError):
        return None


def _digest(path: Path) -> str:
    check_input_file(path, sys.maxsize)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
