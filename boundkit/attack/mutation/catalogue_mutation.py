"""The mutants of many theorems, each theorem's report kept as soon as it is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from boundkit.algebra import Theorem
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.analysis.statement import statement
from boundkit.attack.mutation.evaluation import mutate
from boundkit.attack.mutation.report import Mutation, from_dict
from boundkit.simulation.sweeps.parallel_map import spread
from boundkit.simulation.sweeps.result_store import Store, key_of


def mutate_all(
    theorems: Sequence[Theorem],
    known: Mapping[str, Theorem],
    out: Path | None = None,
    fresh: bool = False,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    **options: Any,
) -> Iterator[Mutation]:
    """A report on each theorem's mutants, as they are finished; ``options`` are those of ``mutate``.

    With ``out`` every report is written there at once, and what is there already, whole and made of the same
    theorem and options by the same boundkit, is read instead, unless ``fresh``.
    """
    store = None if out is None else Store(out, fresh)
    source = _source()
    keys = [key_of(theorem=statement(t), options=options, mutants=source) for t in theorems]
    todo: list[int] = []
    for place, theorem in enumerate(theorems):
        name = f"{theorem.name}.json"
        if store is not None and store.has(name, keys[place]):
            yield from_dict(json.loads(read_json_text(store.path(name), MOST_RECORD)))
        else:
            todo.append(place)
    work = [(theorems[place], _needed(theorems[place], known), options) for place in todo]
    for at, found in spread(_one, work, jobs, backend, scheduler):
        if store is not None:
            text = json.dumps(found.to_dict(), allow_nan=False)
            store.write(f"{found.theorem}.json", keys[todo[at]], text)
        yield found
    if store is not None:
        store.refuse_missing()


@cache
def _source() -> str:
    """A digest of the attack floor and its kept instances, which decide results too."""
    root, digest = Path(__file__).resolve().parents[1], hashlib.sha256()
    for file in sorted((*root.rglob("*.py"), *root.rglob("[!.]*.json"))):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _needed(theorem: Theorem, known: Mapping[str, Theorem]) -> dict[str, Theorem]:
    """The theorems that it is said to become."""
    return {r.to: known[r.to] for r in theorem.reductions if r.to in known}


def _one(theorem: Theorem, known: Mapping[str, Theorem], options: dict[str, Any]) -> Mutation:
    return mutate(theorem, known, **options)
