"""An attack on each of many theorems, each answer kept as soon as it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.analysis.statement import statement
from boundkit.attack.falsify import falsify
from boundkit.attack.stored_instances import keep, kept
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.sweeps.parallel_map import spread
from boundkit.simulation.sweeps.result_store import Store, key_of


def falsify_all(
    theorems: Sequence[Theorem],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    remember: bool = False,
    **options: Any,
) -> Iterator[dict[str, Any]]:
    """The answer on each theorem, as ``Falsification.to_dict`` has it, in the order of finishing.

    With ``out`` each is written there at once as THEOREM.json, and what is there already, whole and made of
    the same theorem, options and kept instances by the same boundkit, is read instead, unless ``fresh``.
    ``remember`` keeps the worst instances in the package. ``options`` are those of ``falsify``.
    """
    store = None if out is None else Store(out, fresh)
    keys = [_key(t, options) for t in theorems]
    todo = []
    for place, theorem in enumerate(theorems):
        found = None if store is None else _read(store, theorem.name, keys[place])
        if found is None:
            todo.append(place)
        else:
            yield found
    work = [(theorems[place], options, remember) for place in todo]
    for done, found in spread(falsify_one, work, jobs, backend, scheduler):
        if store is not None:
            name = f"{found['theorem']}.json"
            with replacing(store.path(name)) as beside:
                beside.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")
            place = todo[done]
            store.stamp(name, _key(theorems[place], options) if remember else keys[place])
        yield found


def falsify_one(theorem: Theorem, options: dict[str, Any], remember: bool) -> dict[str, Any]:
    """The answer on one theorem. Raises BoundkitError that names it where an attack does."""
    try:
        found = falsify(theorem, **options)
        if remember and found.attack is not None and theorem.kind != "order":
            keep(theorem, found.attack.best.values())
    except BoundkitError as error:
        raise BoundkitError(f"{theorem.name}: {error}") from None
    return found.to_dict()


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "progress"}


def _key(theorem: Theorem, options: dict[str, Any]) -> str:
    """A key for an answer: the kept instances that a search begins with decide it, too."""
    begins = [] if options.get("starts") is not None else [asdict(entry) for entry in kept(theorem)]
    return key_of("attack", theorem=statement(theorem), attack=_plain(options), kept=begins)


def _read(store: Store, name: str, key: str) -> dict[str, Any] | None:
    if not store.has(f"{name}.json", key):
        return None
    found: dict[str, Any] = json.loads(read_json_text(store.path(f"{name}.json"), MOST_RECORD))
    return found
