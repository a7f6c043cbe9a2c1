"""The mutants of many theorems, with a report for each theorem."""

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
from boundkit.simulation.sweeps.result_store import Store, key_of
from boundkit.simulation.sweeps.resumable_map import resumable_map, write_text


def mutate_all(
    theorems: Sequence[Theorem],
    catalogue: Mapping[str, Theorem],
    out: Path | None = None,
    fresh: bool = False,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    **options: Any,
) -> Iterator[Mutation]:
    """Yield the report on each theorem's mutants; ``options`` are those of ``mutate``.

    Reports come in the order of completion. With ``out`` every report is written there at once, and an
    existing one made of the same theorem and options by the same boundkit is read instead, unless ``fresh``.
    """
    source = _source()
    keys = [key_of(theorem=statement(t), options=options, mutants=source) for t in theorems]
    reports = resumable_map(
        _one, [(theorem, _needed(theorem, catalogue), options) for theorem in theorems],
        None if out is None else Store(out, fresh),
        name=lambda place: f"{theorems[place].name}.json", key=keys.__getitem__, load=_load, save=_save,
        jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for _, report in reports:
        yield report


def _load(path: Path) -> Mutation:
    return from_dict(json.loads(read_json_text(path, MOST_RECORD)))


def _save(report: Mutation, path: Path | None) -> Mutation:
    if path is not None:
        write_text(path, json.dumps(report.to_dict(), allow_nan=False))
    return report


@cache
def _source() -> str:
    """Compute a digest of the source of this subpackage and of its stored instances."""
    root, digest = Path(__file__).resolve().parents[1], hashlib.sha256()
    for file in sorted((*root.rglob("*.py"), *root.rglob("[!.]*.json"))):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _needed(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> dict[str, Theorem]:
    """Return the theorems to which it reduces."""
    return {r.to: catalogue[r.to] for r in theorem.reductions if r.to in catalogue}


def _one(theorem: Theorem, catalogue: Mapping[str, Theorem], options: dict[str, Any]) -> Mutation:
    return mutate(theorem, catalogue, **options)
