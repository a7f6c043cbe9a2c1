"""The worst instances that were found so far, in the package: one JSON a theorem, one entry an aim.

An entry has ``aim`` ("bound", or the label of a term), its ``score``, after how many ``rounds``, by which
``engine``, how far its constants can be trusted, and the ``run`` (a RUN.json) that replays it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.objectives import Aim, usual_aims
from boundkit.attack.search_result import Find
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec

FOLDER = Path(__file__).parent / "worst"
FRESH = 10_007
"""How far the seed of a sampled run that is kept is from that of the search."""


@dataclass(frozen=True)
class Kept:
    """One instance: the worst that was found for its aim."""

    aim: str
    score: float
    rounds: int
    engine: str
    trust: str
    run: dict[str, Any]


def kept(theorem: Theorem, folder: Path = FOLDER) -> tuple[Kept, ...]:
    """The worst instances of a theorem that are kept; none where nothing is.

    Raises BoundkitError where the file is broken.
    """
    path = folder / f"{theorem.name}.json"
    if not path.is_file():
        return ()
    try:
        return tuple(Kept(**entry) for entry in json.loads(read_json_text(path, MOST_RECORD)))
    except (OSError, ValueError, TypeError):
        raise BoundkitError(f"{path} holds no kept instances.") from None


def runs(theorem: Theorem, folder: Path = FOLDER) -> list[Run]:
    """The kept runs, each once; those that cannot be made any more are left out."""
    found, seen = [], set()
    for entry in kept(theorem, folder):
        told = json.dumps(entry.run, sort_keys=True)
        if told not in seen:
            seen.add(told)
            try:
                found.append(run_from_spec(theorem.algorithm, entry.run))
            except BoundkitError:
                continue
    return found


def replayed(theorem: Theorem, folder: Path = FOLDER) -> Pool:
    """The evidence of the kept runs, made again."""
    pieces = []
    for run in runs(theorem, folder):
        try:
            pieces.append(_again(theorem, run))
        except BoundkitError:
            continue
    return Pool(pieces)


def keep(theorem: Theorem, finds: Iterable[Find], folder: Path = FOLDER) -> tuple[Kept, ...]:
    """Keep what is worse than what was kept, each made again from its RUN.json; what is kept afterwards.

    Raises BoundkitError where the folder cannot be written.
    """
    aims = {aim.name: aim for aim in usual_aims(theorem)}
    best = {entry.aim: entry for entry in kept(theorem, folder)}
    for find in finds:
        entry = _entry(theorem, aims[find.aim], find) if find.aim in aims else None
        before = best.get(find.aim)
        if entry is not None and (before is None or entry.score > before.score):
            best[find.aim] = entry
    chosen = tuple(best[name] for name in aims if name in best)
    if chosen:
        with replacing(folder / f"{theorem.name}.json") as beside:
            text = json.dumps([asdict(entry) for entry in chosen], indent=1, allow_nan=False)
            beside.write_text(text + "\n", encoding="utf-8")
    return chosen


def _entry(theorem: Theorem, aim: Aim, find: Find) -> Kept | None:
    """What its RUN.json says for itself; None where it says nothing, or nothing finite.

    A sampled run is kept with a seed that no search has seen: the seed of the search is the luckiest of many.
    """
    run = find.run
    try:
        seen = _again(theorem, run_from_spec(theorem.algorithm, run))
        if seen.random:
            run = {**run, "seed": run["seed"] + FRESH}
            seen = _again(theorem, run_from_spec(theorem.algorithm, run))
    except BoundkitError:
        return None
    score = float(aim.score(Pool([seen]))[-1])
    if not np.isfinite(score):
        return None
    return Kept(aim.name, score, int(run["rounds"]), seen.engine, seen.trust, run)


def _again(theorem: Theorem, run: Run) -> Evidence:
    with np.errstate(all="ignore"):
        return evidence(theorem, run, Swift())
