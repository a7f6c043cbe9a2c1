"""What is asked: a grid of cells, each an algorithm at one (C, B, E) on one partition of the data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms import known_algorithm
from boundkit.simulation.data import PARTITIONERS, Dataset

FEDSGD = "FedSGD"
"""FedAvg with one step on all of a client's data: E = 1, B = inf."""
_NUMBERS = {
    "dirichlet": "alpha",
    "shards": "num_shards_per_partition",
    "pathological": "num_classes_per_partition",
}
"""What the number in a word such as dirichlet:0.3 is."""


@dataclass(frozen=True)
class Target:
    """What has to be reached: an accuracy on the test points, or the loss over all training points."""

    observable: str
    level: float

    @property
    def rises(self) -> bool:
        """Whether it is reached from below."""
        return self.observable == "test_accuracy"

    def met(self, levels: Any) -> Any:
        """Where numbers reach it; nowhere that is not a number."""
        return levels >= self.level if self.rises else levels <= self.level

    def __str__(self) -> str:
        said = self.observable.replace("_", " ")
        return f"{said} {self.level:g}" if self.rises else f"training {said} {self.level:g}"


@dataclass(frozen=True)
class Cell:
    """``algorithm`` and ``partition`` as words; ``C`` 0 is one client, ``B`` None all points of a client."""

    algorithm: str
    C: float
    B: int | None
    E: float
    partition: str

    @property
    def name(self) -> str:
        """The algorithm, FedSGD where it is that."""
        return FEDSGD if (self.algorithm, self.B, self.E) == ("fedavg", None, 1) else self.algorithm

    def __str__(self) -> str:
        B = "inf" if self.B is None else self.B
        return f"{self.algorithm}, C = {self.C:g}, B = {B}, E = {self.E:g}, {self.partition}"

    def to_json(self) -> dict[str, Any]:
        """Its five settings; B is null where it is all points."""
        return {"algorithm": self.algorithm, "C": self.C, "B": self.B, "E": self.E,
                "partition": self.partition}  # fmt: skip


@dataclass(frozen=True)
class Question:
    """All that cells have in common. ``etas``: the grid of which each cell takes its best, ascending."""

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
    root: Path | None = None
    download: bool = False

    def to_json(self) -> dict[str, Any]:
        """What decides the numbers of a cell, besides the cell itself; where data lie on a disk does not."""
        return {"data": _named(self.data), "model": self.model, "clients": self.clients,
                "etas": list(self.etas), "target": {"observable": self.target.observable,
                "level": self.target.level}, "cap": self.cap, "replicas": self.replicas, "seed": self.seed,
                "dtype": self.dtype, "device": self.device}  # fmt: skip


def _named(data: str | Dataset) -> str:
    """The name of a data set; with a digest of what is in memory."""
    if isinstance(data, str):
        return data
    digest = hashlib.sha256()
    for array in (data.X, data.y, data.test_X, data.test_y):
        digest.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
    digest.update(b"" if data.groups is None else data.groups.tobytes())
    return f"{data.name}-{digest.hexdigest()[:16]}"


def algorithm_of(word: str) -> tuple[str, dict[str, Any]]:
    """The algorithm and its options that a word such as ``fedprox:mu=0.1`` names.

    Raises BoundkitError for an unknown one, and for an option without a value.

    >>> algorithm_of("fedprox:mu=0.1")
    ('fedprox', {'mu': 0.1})
    """
    name, *given = str(word).split(":")
    known_algorithm(name)
    options = {}
    for part in given:
        option, equals, text = part.partition("=")
        if not (option and equals and text):
            raise BoundkitError(f"{word!r} must be an algorithm, or one with options, as fedprox:mu=0.1.")
        try:
            options[option] = json.loads(text)
        except ValueError:
            options[option] = text
    return name, options


def partition_of(word: str, clients: int) -> dict[str, Any]:
    """The ``partition`` field of a RUN.json that a word such as ``dirichlet:0.3`` stands for.

    Raises BoundkitError for an unknown kind, a number that is missing, and one that has no meaning.

    >>> partition_of("shards:2", 100)
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
