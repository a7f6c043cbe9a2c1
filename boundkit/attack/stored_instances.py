"""The worst instances of all searches so far, in one data file of the package.

The file maps each theorem to its instances, one a line: ``scores``, by objective ("bound", or the label of a
term); the number of ``rounds``; the ``engine``; how far the constants can be trusted (``trust``); and the
``run`` (a RUN.json) that replays the instance.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.attack.evidence import (
    Evidence,
    EvidencePool,
    SearchObjective,
    collect_evidence,
    default_objectives,
)
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.search import WorstInstance
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec

FILE = Path(__file__).with_name("worst_instances.json")
FRESH_SEED = 10_007
"""Offset of the seed of a stored sampled run from that of the search."""

SAME_SCORE = 1e-6
"""Scores that differ by less are the same: another processor rounds otherwise."""


@dataclass(frozen=True)
class StoredInstance:
    """The instance with the largest score for one objective."""

    objective: str
    score: float
    rounds: int
    engine: str
    trust: str
    run: dict[str, Any]


def load_instances(theorem: Theorem, file: Path = FILE) -> tuple[StoredInstance, ...]:
    """Load the stored instances of a theorem; none where the file has none.

    Raises BoundkitError where the file is damaged.
    """
    return tuple(_read(file).get(theorem.name, ()))


def stored_runs(theorem: Theorem, file: Path = FILE) -> list[Run]:
    """Return the stored runs without duplicates; runs that can no longer be constructed are left out."""
    runs: dict[str, Run] = {}
    for instance in load_instances(theorem, file):
        try:
            runs.setdefault(_key(instance.run), run_from_spec(theorem.algorithm, instance.run))
        except BoundkitError:
            continue
    return list(runs.values())


def replay_instances(theorem: Theorem, file: Path = FILE) -> EvidencePool:
    """Return the evidence of the stored runs, each simulated again."""
    pieces = []
    for run in stored_runs(theorem, file):
        try:
            pieces.append(_replay(theorem, run))
        except BoundkitError:
            continue
    return EvidencePool(pieces)


def replay_finds(theorem: Theorem, instances: Iterable[WorstInstance]) -> list[StoredInstance]:
    """Replay the best instances of a search from their RUN.json, without those of no finite score."""
    objectives = {objective.name: objective for objective in default_objectives(theorem)}
    replayed = [
        _replay_find(theorem, objectives[instance.objective], instance)
        for instance in instances
        if instance.objective in objectives
    ]
    return [instance for instance in replayed if instance is not None]


def store_instances(
    theorem: Theorem, instances: Iterable[StoredInstance], file: Path = FILE
) -> tuple[StoredInstance, ...]:
    """Store each instance whose score exceeds the stored one; return all stored instances of the theorem.

    The stored runs are scored again first: constants of the theorem may have changed since.

    Raises BoundkitError where the file is damaged or cannot be written.
    """
    every = _read(file)
    before = {instance.objective: instance for instance in every.get(theorem.name, ())}
    best = {each.objective: each for each in _scored_again(theorem, before.values())}
    for instance in instances:
        if instance.objective not in best or instance.score > best[instance.objective].score:
            best[instance.objective] = instance
    stored = [best[objective.name] for objective in default_objectives(theorem) if objective.name in best]
    if best != before:
        _write({**every, theorem.name: stored}, file)
    return load_instances(theorem, file)


def _scored_again(theorem: Theorem, stored: Iterable[StoredInstance]) -> list[StoredInstance]:
    """Return the instances with the scores of today; those that cannot be replayed keep theirs."""
    objectives = {objective.name: objective for objective in default_objectives(theorem)}
    result = []
    for instance in stored:
        score = instance.score
        if instance.objective in objectives:
            try:
                evidence = _replay(theorem, run_from_spec(theorem.algorithm, instance.run))
            except BoundkitError:
                pass
            else:
                score = _score(objectives[instance.objective], evidence)
        close = np.isclose(score, instance.score, rtol=SAME_SCORE, atol=SAME_SCORE)
        if close or np.isfinite(score):
            result.append(instance if close else replace(instance, score=score))
    return result


def _replay_find(
    theorem: Theorem, objective: SearchObjective, instance: WorstInstance
) -> StoredInstance | None:
    """Replay one instance of a search.

    A sampled run gets a seed that no search has used: the seed of the search has the largest of many samples.
    """
    run = instance.run
    try:
        result = _replay(theorem, run_from_spec(theorem.algorithm, run))
        if result.random:
            run = {**run, "seed": run["seed"] + FRESH_SEED}
            result = _replay(theorem, run_from_spec(theorem.algorithm, run))
    except BoundkitError:
        return None
    score = _score(objective, result)
    if not np.isfinite(score):
        return None
    return StoredInstance(objective.name, score, int(run["rounds"]), result.engine, result.trust, run)


def _score(objective: SearchObjective, evidence: Evidence) -> float:
    return float(objective.score(EvidencePool([evidence]))[-1])


def _replay(theorem: Theorem, run: Run) -> Evidence:
    with np.errstate(all="ignore"):
        return collect_evidence(theorem, run, FastEngineOptions())


def _read(file: Path) -> dict[str, list[StoredInstance]]:
    if not file.is_file():
        return {}
    now = file.stat()
    return _parsed(file, (now.st_ino, now.st_mtime_ns, now.st_size))


@lru_cache(maxsize=1)  # a search of all theorems asks for each of them
def _parsed(file: Path, version: tuple[int, ...]) -> dict[str, list[StoredInstance]]:
    try:
        return {
            name: [
                StoredInstance(
                    objective, score, entry["rounds"], entry["engine"], entry["trust"], entry["run"]
                )
                for entry in entries
                for objective, score in entry["scores"].items()
            ]
            for name, entries in json.loads(read_json_text(file, MOST_RECORD)).items()
        }
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise BoundkitError(f"{file} is no file of stored instances; it is damaged.") from None


def _write(every: dict[str, list[StoredInstance]], file: Path) -> None:
    theorems = [f' "{name}": [\n{_entries(every[name])}\n ]' for name in sorted(every) if every[name]]
    write_text(file, "{\n" + ",\n".join(theorems) + "\n}\n")


def _entries(instances: list[StoredInstance]) -> str:
    """Write one line for each run, with its scores for all objectives."""
    first = {_source(instance): place for place, instance in reversed(list(enumerate(instances)))}
    ordered = sorted(instances, key=lambda instance: first[_source(instance)])
    lines = []
    for _, group in groupby(ordered, _source):
        same = list(group)
        fields = {name: getattr(same[0], name) for name in ("rounds", "engine", "trust", "run")}
        scores = {instance.objective: instance.score for instance in same}
        lines.append("  " + json.dumps({"scores": scores, **fields}, allow_nan=False))
    return ",\n".join(lines)


def _source(instance: StoredInstance) -> tuple[int, str, str, str]:
    return instance.rounds, instance.engine, instance.trust, _key(instance.run)


def _key(run: dict[str, Any]) -> str:
    return json.dumps(run, sort_keys=True)
