"""Partitioner interface, and partitions without label skew: independent and natural clients."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.validation import positive, whole

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


LOGNORMAL = "lognormal"


class Iid(Partitioner):
    """A random order of all points, cut into ``num_partitions`` pieces, client after client.

    Sizes differ by at most 1 and the larger are first. With ``sizes`` "lognormal" they are unequal: every
    client gets one point, and the rest is in proportion to exp(``sigma`` z_k), z_k normal (largest
    remainders); sigma is 1 by default. With a list, one size a client, remaining points are not used.

    Raises BoundkitError for numbers outside their range, and a list of another length.
    """

    kind = "iid"

    def __init__(self, num_partitions: int, sizes: Any = None, sigma: Any = None, seed: int = SEED) -> None:
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.sizes = _checked(sizes, self.num_partitions)
        if sigma is not None and sizes != LOGNORMAL:
            raise BoundkitError(
                'sigma is the standard deviation of lognormal sizes; give "sizes": "lognormal" with it.'
            )
        self.sigma = 1.0 if sizes == LOGNORMAL and sigma is None else sigma
        if self.sigma is not None:
            self.sigma = positive("sigma", self.sigma)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        N, m = len(y), self.num_partitions
        check_enough_points(N, m)
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(N)
        if self.sizes is None:
            return np.array_split(order, m)
        sizes = self.sizes
        if self.sigma is not None:
            sizes = proportional(N, self.sigma * rng.standard_normal(m))
        elif sum(sizes) > N:
            raise BoundkitError(f"sizes sum to {sum(sizes)} points, but the data have {N}.")
        return np.split(order, np.cumsum(sizes))[:-1]


def proportional(points: int, logarithms: NDArray[np.float64]) -> NDArray[np.intp]:
    """Whole sizes of at least 1 that sum to ``points``, the rest in proportion to exp(logarithms)."""
    share = np.exp(logarithms - logarithms.max())
    due = (points - len(share)) * share / share.sum()
    sizes = np.floor(due).astype(np.intp)
    most_due = np.argsort(sizes - due, kind="stable")[: points - len(share) - int(sizes.sum())]
    sizes[most_due] += 1
    return np.asarray(sizes + 1)


def _checked(sizes: Any, m: int) -> Any:
    if sizes is None:
        return None
    if isinstance(sizes, str):
        if sizes != LOGNORMAL:
            raise unknown("distribution of sizes", sizes, (LOGNORMAL,))
        return sizes
    if not isinstance(sizes, (list, tuple, np.ndarray)) or len(sizes) != m:
        raise BoundkitError(f'sizes must be "lognormal" or {m} whole numbers, one a client.')
    return [whole(f"sizes[{i}]", n, 1) for i, n in enumerate(sizes)]


class Natural(Partitioner):
    """The groups of the data as clients, in the order of their numbers.

    Groups with fewer than ``min_partition_size`` points are left out. Of the others ``num_partitions`` are
    sampled uniformly without replacement; all by default.

    Raises BoundkitError for numbers outside their range.
    """

    kind = "natural"

    def __init__(
        self, num_partitions: int | None = None, min_partition_size: int = 1, seed: int = SEED
    ) -> None:
        self.num_partitions = None if num_partitions is None else whole("num_partitions", num_partitions, 1)
        self.min_partition_size = whole("min_partition_size", min_partition_size, 1)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        if groups is None:
            raise BoundkitError(
                "a natural partition needs data with groups, such as shakespeare; "
                "these do not, so take iid, dirichlet, shards or pathological."
            )
        names, sizes = np.unique(groups, return_counts=True)
        names = names[sizes >= self.min_partition_size]
        m = len(names) if self.num_partitions is None else self.num_partitions
        if m > len(names) or not m:
            raise BoundkitError(
                f"a natural partition needs {m or 'some'} clients of at least {self.min_partition_size} "
                f"points each, but the data have {len(names)}; take fewer, or lower min_partition_size."
            )
        if m < len(names):
            names = np.sort(np.random.default_rng(self.seed).choice(names, m, replace=False))
        order = np.argsort(groups, kind="stable")
        first, last = (np.searchsorted(groups[order], names, side=side) for side in ("left", "right"))
        return [order[a:b] for a, b in zip(first, last, strict=True)]
