"""Partitioner interface: a rule by which the training points of a data set are divided among clients."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

Indices = NDArray[np.intp]
SEED = 42
"""The default seed, as in flwr-datasets."""


class Partitioner(ABC):
    """Fields in a RUN.json are the arguments of the class, validated there, and stored as attributes."""

    kind: ClassVar[str]
    seed: int

    @classmethod
    def fields(cls) -> tuple[tuple[str, ...], dict[str, Any]]:
        """The required fields, and the optional ones with their defaults."""
        given = inspect.signature(cls).parameters.values()
        required = tuple(p.name for p in given if p.default is p.empty)
        return required, {p.name: p.default for p in given if p.default is not p.empty}

    @abstractmethod
    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        """The points of each client, from the labels y, (N,) or (N, length), and the natural clients, (N,).

        No point is given to two clients, and no client is without a point. Raises BoundkitError
        where the data do not allow it.
        """

    def to_json(self) -> dict[str, Any]:
        """The ``partition`` field of a RUN.json, with every default filled in."""
        required, optional = self.fields()
        given = {name: getattr(self, name) for name in (*required, *optional)}
        return {"kind": self.kind} | {name: value for name, value in given.items() if value is not None}


def check_enough_points(points: int, num_partitions: int, each: int = 1) -> None:
    """Refuse more clients than there are points for, at least ``each`` a client."""
    if num_partitions * each > points:
        raise BoundkitError(
            f"{num_partitions} clients with at least {each} point{'s' * (each > 1)} each need "
            f"{num_partitions * each} points, but the data have {points}."
        )


def check_single_labels(kind: str, y: NDArray[Any]) -> None:
    """Refuse labels other than one a point."""
    if y.ndim != 1:
        raise BoundkitError(
            f"a {kind} partition needs one label a point, but these data have labels of shape {y.shape[1:]} "
            "for each, as text does; take iid or natural."
        )
