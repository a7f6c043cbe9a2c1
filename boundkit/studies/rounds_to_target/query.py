"""The query: a grid of cells, each an algorithm at one (C, B, E) on one partition of the data."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.data import PARTITIONERS, Dataset
from boundkit.simulation.validation import positive, whole

FEDSGD = "FedSGD"
"""FedAvg with one step on all of a client's data: E = 1, B = inf."""
_NUMBERS = {
    "dirichlet": "alpha",
    "shards": "num_shards_per_partition",
    "pathological": "num_classes_per_partition",
}
"""The parameter that the number in dirichlet:0.3 and the like sets."""


@dataclass(frozen=True)
class Target:
    """Target level of the accuracy on the test points or of the loss over all training points."""

    observable: str
    level: float

    @property
    def rises(self) -> bool:
        """Whether the target is reached from below."""
        return self.observable == "test_accuracy"

    def met(self, levels: Any) -> Any:
        """Elementwise, whether levels meet the target; nan does not."""
        return levels >= self.level if self.rises else levels <= self.level

    def __str__(self) -> str:
        name = self.observable.replace("_", " ")
        return f"{name} {self.level:g}" if self.rises else f"training {name} {self.level:g}"


@dataclass(frozen=True)
class GridCell:
    """One algorithm at one (C, B, E) on one partition; ``C`` 0 is one client, ``B`` None the full batch."""

    algorithm: str
    C: float
    B: int | None
    E: float
    partition: str

    @property
    def name(self) -> str:
        """The algorithm's name, FedSGD for FedAvg with full batches and one epoch."""
        return FEDSGD if (self.algorithm, self.B, self.E) == ("fedavg", None, 1) else self.algorithm

    def __str__(self) -> str:
        B = "inf" if self.B is None else self.B
        return f"{self.algorithm}, C = {self.C:g}, B = {B}, E = {self.E:g}, {self.partition}"

    def to_json(self) -> dict[str, Any]:
        """The five settings; B is null for the full batch."""
        return {"algorithm": self.algorithm, "C": self.C, "B": self.B, "E": self.E,
                "partition": self.partition}  # fmt: skip


@dataclass(frozen=True)
class RoundsQuery:
    """Settings shared by all cells. ``etas``: the ascending grid from which each cell takes its best."""

    data: str | Dataset
    model: str | Mapping[str, Any]
    clients: int
    etas: tuple[float, ...]
    target: Target
    cap: int
    replicas: int
    seed: int
    dtype: str
    device: str
    arrays: str = "auto"
    root: Path | None = None
    download: bool = False

    def to_json(self) -> dict[str, Any]:
        """All fields that determine the numbers of a cell; the location of data on a disk does not."""
        return {"data": _data_name(self.data), "model": self.model, "clients": self.clients,
                "etas": list(self.etas), "target": {"observable": self.target.observable,
                "level": self.target.level}, "cap": self.cap, "replicas": self.replicas, "seed": self.seed,
                "dtype": self.dtype, "device": self.device,
                **({} if self.arrays == "auto" else {"arrays": self.arrays})}  # fmt: skip


def _data_name(data: str | Dataset) -> str:
    """Name of a data set, with a digest of its content where it is in memory."""
    if isinstance(data, str):
        return data
    digest = hashlib.sha256()
    for array in (data.X, data.y, data.test_X, data.test_y):
        digest.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
    digest.update(b"" if data.groups is None else data.groups.tobytes())
    return f"{data.name}-{digest.hexdigest()[:16]}"


def parse_algorithm(text: str) -> tuple[str, dict[str, Any]]:
    """Parse an algorithm with options, such as ``fedprox:mu=0.1``.

    Raises BoundkitError for an unknown algorithm and for an option without a value.

    >>> parse_algorithm("fedprox:mu=0.1")
    ('fedprox', {'mu': 0.1})
    """
    name, *assignments = str(text).split(":")
    algorithm_class(name)
    options = {}
    for assignment in assignments:
        option, equals, value = assignment.partition("=")
        if not (option and equals and value):
            raise BoundkitError(f"{text!r} must be an algorithm, or one with options, as fedprox:mu=0.1.")
        try:
            options[option] = json.loads(value)
        except ValueError:
            options[option] = value
    return name, options


def parse_partition(word: str, clients: int) -> dict[str, Any]:
    """Parse a partition such as ``dirichlet:0.3`` into the ``partition`` field of a RUN.json.

    Raises BoundkitError for an unknown kind, a missing number, and a number that the kind does not take.

    >>> parse_partition("shards:2", 100)
    {'kind': 'shards', 'num_partitions': 100, 'num_shards_per_partition': 2}
    """
    kind, colon, text = str(word).partition(":")
    if kind not in PARTITIONERS:
        raise unknown("partition", kind, PARTITIONERS)
    spec: dict[str, Any] = {"kind": kind, "num_partitions": clients}
    if kind not in _NUMBERS:
        if colon:
            raise BoundkitError(f"the partition {kind} takes no number, but {word!r} was given.")
        return spec
    try:
        number = json.loads(text)
    except ValueError:
        raise BoundkitError(
            f"the partition {kind} needs its {_NUMBERS[kind]}, such as {kind}:2, but {word!r} was given."
        ) from None
    return spec | {_NUMBERS[kind]: number}


ETAS = (0.1, 0.2, 0.5, 1.0, 2.0)
ROUNDS, REPLICAS = 300, 6
QUICK = {"eta": (0.2, 0.5, 1.0), "rounds": 100, "replicas": 3}
"""Defaults of a quick table."""
BASELINES = ("fedsgd", "first")
_TARGETS = {"accuracy": "test_accuracy", "loss": "loss"}


def make_query(
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
    arrays: str = "auto",
    root: Path | None = None,
    download: bool = False,
) -> RoundsQuery:
    """Validate the settings shared by all cells. Raises BoundkitError for a value outside its range."""
    return RoundsQuery(
        data=data,
        model=model,
        clients=whole("clients", clients, 1),
        etas=tuple(sorted(positive("eta", e) for e in _distinct("eta", eta))),
        target=parse_target(target),
        cap=whole("rounds", rounds, 1),
        replicas=whole("replicas", replicas, 1),
        seed=whole("seed", seed, 0),
        dtype=dtype,
        device=device,
        arrays=arrays,
        root=root,
        download=download,
    )


def make_cells(
    algorithm: Any, C: Any, B: Any, E: Any, partition: Any, clients: int, baseline: str = "fedsgd"
) -> list[GridCell]:
    """All combinations; with the baseline ``fedsgd`` also FedSGD at every C, first.

    C varies slowest, then the algorithm, E and B; the partition varies fastest.

    Raises BoundkitError for an unknown name, a value outside its range, and one given twice.
    """
    if baseline not in BASELINES:
        raise unknown("baseline", str(baseline), BASELINES)
    algorithms = [str(a) for a in _distinct("algorithm", algorithm)]
    partitions = [str(p) for p in _distinct("partition", partition)]
    for each in algorithms:
        parse_algorithm(each)
    for each in partitions:
        parse_partition(each, clients)
    batches = _distinct("B", [_batch(b) for b in _as_list(B)])
    epochs = [positive("E", e) for e in _distinct("E", E)]
    settings = [(a, b, e) for a in algorithms for e in epochs for b in batches]
    if baseline == "fedsgd":
        fedsgd = ("fedavg", None, 1.0)
        settings = [fedsgd, *(s for s in settings if s != fedsgd)]
    fractions = [_fraction(c) for c in _distinct("C", C)]
    return [GridCell(a, c, b, e, p) for c in fractions for a, b, e in settings for p in partitions]


def parse_target(given: Any) -> Target:
    """Parse a target: 0.9 and "accuracy:0.9" are a test accuracy, "loss:0.3" a training loss.

    Raises BoundkitError for anything else and for an accuracy above 1.
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
    """Batch size; None for the full batch, which is written inf."""
    if given is None or str(given) in ("inf", "∞"):
        return None
    return whole("B", given, 1)


def _fraction(given: Any) -> float:
    """Fraction C of participating clients; 0 means one client, as in the paper."""
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise BoundkitError(f"C must be from 0, which is one client, to 1, but it is {given!r}.")
    return float(given)


def _distinct(name: str, given: Any) -> list[Any]:
    """The given value or values as a list without duplicates."""
    values = _as_list(given)
    if not values:
        raise BoundkitError(f"{name} needs at least one value.")
    for at, value in enumerate(values):
        if value in values[:at]:
            shown = "inf" if value is None else f"{value:g}" if _is_number(value) else value
            raise BoundkitError(f"{name} has the value {shown} twice.")
    return values


def _as_list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
