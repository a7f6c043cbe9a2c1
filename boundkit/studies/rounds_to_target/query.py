"""The question from plain values, checked once, and the cells that it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data import Dataset
from boundkit.simulation.problems.validation import positive, whole
from boundkit.studies.rounds_to_target.cells import Cell, Question, Target, algorithm_of, partition_of

ETAS = (0.1, 0.2, 0.5, 1.0, 2.0)
ROUNDS, REPLICAS = 300, 6
QUICK = {"eta": (0.2, 0.5, 1.0), "rounds": 100, "replicas": 3}
"""What a quick table takes where nothing else is asked for."""
BASELINES = ("fedsgd", "first")
_TARGETS = {"accuracy": "test_accuracy", "loss": "loss"}


def question(
    data: str | Dataset = "digits",
    model: str | Mapping[str, Any] = "mlp",
    *,
    clients: int = 100,
    eta: Any = ETAS,
    target: Any = 0.9,
    rounds: int = ROUNDS,
    replicas: int = REPLICAS,
    seed: int = 0,
    dtype: str = "float32",
    device: str = "cpu",
    root: Path | None = None,
    download: bool = False,
) -> Question:
    """What all cells have in common. Raises BoundkitError for a value outside its range."""
    return Question(
        data=data,
        model=model,
        clients=whole("clients", clients, 1),
        etas=tuple(sorted(positive("eta", e) for e in _several("eta", eta))),
        target=target_of(target),
        cap=whole("rounds", rounds, 1),
        replicas=whole("replicas", replicas, 1),
        seed=whole("seed", seed, 0),
        dtype=dtype,
        device=device,
        root=root,
        download=download,
    )


def asked_cells(
    algorithm: Any, C: Any, B: Any, E: Any, partition: Any, clients: int, baseline: str = "fedsgd"
) -> list[Cell]:
    """Every combination; with the baseline ``fedsgd``, FedSGD at every C first, where it is not among them.

    C is outermost, then the algorithm, E and B, and the partition last.

    Raises BoundkitError for an unknown name, a value outside its range, and one given twice.
    """
    if baseline not in BASELINES:
        raise unknown("baseline", str(baseline), BASELINES)
    words = [str(word) for word in _several("algorithm", algorithm)]
    splits = [str(word) for word in _several("partition", partition)]
    for word in words:
        algorithm_of(word)
    for word in splits:
        partition_of(word, clients)
    batches = _several("B", [_batch(b) for b in _listed(B)])
    epochs = [positive("E", e) for e in _several("E", E)]
    settings = [(word, b, e) for word in words for e in epochs for b in batches]
    if baseline == "fedsgd":
        fedsgd = ("fedavg", None, 1.0)
        settings = [fedsgd, *(s for s in settings if s != fedsgd)]
    fractions = [_fraction(c) for c in _several("C", C)]
    return [Cell(word, c, b, e, split) for c in fractions for word, b, e in settings for split in splits]


def target_of(given: Any) -> Target:
    """0.9 and "accuracy:0.9" are a test accuracy, "loss:0.3" a training loss.

    Raises BoundkitError for anything else, and an accuracy that is no share.
    """
    name, colon, text = str(given).rpartition(":")
    kind = name if colon else "accuracy"
    if kind not in _TARGETS:
        raise unknown("target", kind, _TARGETS)
    try:
        level = positive("the target", float(text))
    except ValueError:
        raise BoundkitError(
            f"the target must be an accuracy, such as 0.9, or loss:0.3, but it is {given!r}."
        ) from None
    if kind == "accuracy" and level > 1:
        raise BoundkitError(f"an accuracy is at most 1, but the target is {level:g}.")
    return Target(_TARGETS[kind], level)


def _batch(given: Any) -> int | None:
    """A size, or None for all points of a client, which is written inf."""
    if given is None or str(given) in ("inf", "∞"):
        return None
    return whole("B", given, 1)


def _fraction(given: Any) -> float:
    """C, where 0 means one client, as in the paper."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise BoundkitError(f"C must be from 0, which is one client, to 1, but it is {given!r}.")
    return float(given)


def _several(name: str, given: Any) -> list[Any]:
    """The values of a list, or the one that is given; none of them twice."""
    values = _listed(given)
    if not values:
        raise BoundkitError(f"{name} needs at least one value.")
    for at, value in enumerate(values):
        if value in values[:at]:
            said = "inf" if value is None else f"{value:g}" if _is_number(value) else value
            raise BoundkitError(f"{name} has the value {said} twice.")
    return values


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
