"""A folder of completed items, keyed by their inputs: intact items with the same key are not recomputed.

Each item ``NAME`` has a stamp ``.sweep/NAME.json`` with the key and the SHA-256 of the item's bytes.
The item is written first and the stamp last, both atomically; so an item whose inputs have
changed, that was damaged or edited, or that an interrupt left without its stamp, is recomputed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, check_input_file, read_text
from boundkit.simulation.atomic_files import refuse_unwritable, remove_abandoned, replacing
from boundkit.simulation.checksum import damaged
from boundkit.simulation.sweeps.parallel_map import map_parallel

Computed = TypeVar("Computed")
Result = TypeVar("Result")

_STAMPS = ".sweep"
_RESULT_LAYERS = ("algebra", "analysis", "simulation", "verification")
"""The subpackages whose source determines every result; a theorem is a part of its own key."""
_SHOWN = 3


class ResultStore:
    """Completed items under ``folder``; ``fresh`` treats none of them as complete.

    The folder is made when the first item is written with ``replacing``.

    Raises BoundkitError where the folder cannot be made or written.
    """

    def __init__(self, folder: str | Path, fresh: bool = False) -> None:
        self.folder, self.fresh = Path(folder), fresh
        self._finished: dict[str, None] = {}
        refuse_unwritable(self.folder / _STAMPS / "stamp.json")
        remove_abandoned(self.folder)

    def path(self, name: str) -> Path:
        """The path of the item of a name."""
        return self.folder / name

    def has(self, name: str, key: str) -> bool:
        """Whether the item exists, is intact, and was computed from the same inputs."""
        if self.fresh:
            return False
        try:
            intact = bool(_read(self._stamp(name)) == {"key": key, "sha256": _digest(self.path(name))})
        except OSError:
            return False
        if intact:
            self._finished[name] = None
        return intact

    def stamp(self, name: str, key: str) -> None:
        """Write the stamp of an item that is complete, with the key of its inputs."""
        with replacing(self._stamp(name)) as temporary:
            text = json.dumps({"key": key, "sha256": _digest(self.path(name))})
            temporary.write_text(text, encoding="utf-8")
        self._finished[name] = None

    def refuse_missing(self) -> None:
        """Raise BoundkitError where a completed item has been removed in the meantime."""
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
    """Raise BoundkitError where an item does not match its stamp; without a stamp it is not checked."""
    stamp = _read(path.parent / _STAMPS / f"{path.name}.json")
    if isinstance(stamp, dict) and stamp.get("sha256") != _digest(path):
        raise damaged(path)


def key_of(*above: str, **inputs: Any) -> str:
    """The key of inputs, which are JSON values, and of the program that processes them.

    ``above``: higher layers that determine the result as well.
    """
    text = json.dumps({"inputs": inputs, "program": program(*above)}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def program(*above: str) -> dict[str, str]:
    """boundkit's version, a digest of the source that determines results, and the dependencies' versions."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for layer in (*_RESULT_LAYERS, *above):
        for file in sorted((root / layer).rglob("*.py")):
            digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    versions = {"source": digest.hexdigest()}
    for name in ("boundkit", "numpy", "scipy", "sympy", "torch"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _read(stamp: Path) -> Any:
    """The content of a stamp; None where it is missing or broken."""
    try:
        return json.loads(read_text(stamp, MOST_RECORD))
    except (OSError, ValueError, RecursionError):
        return None


def _digest(path: Path) -> str:
    check_input_file(path, sys.maxsize)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def resumable_map(
    task: Callable[..., Computed],
    inputs: Sequence[tuple[Any, ...]],
    store: ResultStore | None,
    *,
    name: Callable[[int], str],
    key: Callable[[int], str],
    load: Callable[[Path], Result | None],
    save: Callable[[Computed, Path | None], Result],
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield ``(place, result)`` for every input: stored results first, then computed ones as they finish.

    A result that was yielded is stored, so that an interrupt or an error loses only unfinished items.

    Parameters
    ----------
    task : evaluated by worker processes on ``inputs[place]``, where the store has no valid item.
    store : where items are looked up and stored; None computes all and stores nothing.
    name, key : file name of an item, and the key of its inputs. The key is evaluated again after ``save``,
        which may change an input.
    load : reads an item with a valid stamp; None has it computed again.
    save : called in this process. Writes a computed item to the path (None without a store), whole or not at
        all, and returns the result.
    jobs, backend, scheduler : workers, as in ``map_parallel``.

    Raises BoundkitError where a stored item was removed in the meantime, and what ``task`` raises.
    """
    missing = list(range(len(inputs)))
    if store is not None:
        missing = []
        for place in range(len(inputs)):
            valid = store.has(name(place), key(place))
            result = load(store.path(name(place))) if valid else None
            if result is None:
                missing.append(place)
            else:
                yield place, result
    for done, computed in map_parallel(task, [inputs[place] for place in missing], jobs, backend, scheduler):
        place = missing[done]
        if store is None:
            yield place, save(computed, None)
            continue
        # here and not in a worker, which may be on another machine, or be killed while it writes
        result = save(computed, store.path(name(place)))
        store.stamp(name(place), key(place))
        yield place, result
    if store is not None:
        store.refuse_missing()
