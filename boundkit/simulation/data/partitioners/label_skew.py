"""Partitions with label skew: Dirichlet shares of each class, a number of classes a client, and shards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data.partitioners.base import (
    SEED,
    Indices,
    Partitioner,
    check_enough_points,
    check_single_labels,
)
from boundkit.simulation.validation import all_positive, boolean, checked_array, positive, whole

TRIES = 1000
"""Most draws of shares before a smallest size counts as unattainable; flwr-datasets: 11."""


class Dirichlet(Partitioner):
    """For every class q ~ Dirichlet(alpha, ..., alpha) over clients; client k gets a share q_k of its points.

    ``alpha``: small means few labels a client, large means homogeneous clients; a list gives one a client.
    All shares are redrawn until every client has ``min_partition_size`` points. ``self_balancing``: a client
    with more than N/num_partitions points already gets none of the remaining classes. ``shuffle``: a client's
    points in random order, not class after class. Every point is assigned.

    One seed gives the same clients as DirichletPartitioner of flwr-datasets 0.6.1 with the same arguments,
    where that one does not give up. Raises BoundkitError for numbers outside their range.

    Yurochkin et al. 2019 (arXiv 1905.12022), as in flwr-datasets and most code. Hsu, Qi, Brown 2019
    (arXiv 1909.06335) instead draw each client's shares of the classes, and all clients
    get the same number of points. Here sizes are unequal too.
    """

    kind = "dirichlet"

    def __init__(
        self,
        num_partitions: int,
        alpha: Any,
        min_partition_size: int = 10,
        self_balancing: bool = False,
        shuffle: bool = True,
        seed: int = SEED,
    ) -> None:
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.alpha = _concentration(alpha, self.num_partitions)
        self.min_partition_size = whole("min_partition_size", min_partition_size, 1)
        self.self_balancing = boolean("self_balancing", self_balancing)
        self.shuffle = boolean("shuffle", shuffle)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        check_single_labels(self.kind, y)
        check_enough_points(len(y), self.num_partitions, self.min_partition_size)
        classes = [np.nonzero(y == label)[0] for label in np.unique(y)]
        rng = np.random.default_rng(self.seed)
        cuts = self._cuts(rng, [len(points) for points in classes])
        pieces = [np.split(points, at) for points, at in zip(classes, cuts, strict=True)]
        clients = [np.concatenate(own) for own in zip(*pieces, strict=True)]
        if self.shuffle:
            for own in clients:
                rng.shuffle(own)
        return clients

    def _cuts(self, rng: np.random.Generator, counts: list[int]) -> NDArray[np.intp]:
        """The cuts of each class between consecutive clients, (classes, clients - 1)."""
        best = 0
        for _ in range(TRIES):
            cuts, sizes = self._draw(rng, counts)
            if sizes.min() >= self.min_partition_size:
                return cuts
            best = max(best, int(sizes.min()))
        raise BoundkitError(
            f"min_partition_size {self.min_partition_size} was not reached in {TRIES} draws of a dirichlet "
            f"partition: the smallest of {self.num_partitions} clients had at most {best} of {sum(counts)} "
            "points; lower it, raise alpha, or take fewer clients."
        )

    def _draw(self, rng: np.random.Generator, counts: list[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        m = self.num_partitions
        alpha = np.broadcast_to(np.asarray(self.alpha, dtype=np.float64), (m,))
        cuts, sizes = np.empty((len(counts), m - 1), dtype=np.intp), np.zeros(m, dtype=np.intp)
        for c, count in enumerate(counts):
            share = rng.dirichlet(alpha)
            if self.self_balancing:
                share = _among(share, sizes <= sum(counts) / m)
            cuts[c] = (np.cumsum(share) * count).astype(np.intp)[:-1]
            sizes += np.diff(cuts[c], prepend=0, append=count)
        return cuts, sizes


def _among(share: NDArray[np.float64], open_to_more: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The shares of clients that may get more, normalised to sum 1; equal where all of theirs are 0."""
    left = np.where(open_to_more, share, 0.0)
    if not left.sum() > 0:
        left = open_to_more.astype(np.float64)
    return np.asarray(left / np.cumsum(left)[-1])  # sequentially, as flwr-datasets sums them


def _concentration(alpha: Any, m: int) -> float | list[float]:
    if not isinstance(alpha, (list, tuple, np.ndarray)):
        return positive("alpha", alpha)
    each = checked_array("alpha", alpha, (m,))
    all_positive("alpha", each)
    return [float(a) for a in each]


MODES = ("random", "deterministic", "first-deterministic")


class Pathological(Partitioner):
    """Every client has exactly ``num_classes_per_partition`` classes, c of them, chosen by mode:

    ``random``: without replacement; ``deterministic``: client k has the classes k, ..., k + c - 1, modulo
    their number; ``first-deterministic``, the paper's: class k modulo their number, and c - 1 others at
    random. The points of a class are cut in the order of the data, into pieces whose sizes differ by at most
    1. A class that no client has is left out.

    One seed gives the same clients as PathologicalPartitioner of flwr-datasets 0.6.1 with the same arguments.
    Raises BoundkitError for numbers outside their range, and an unknown mode.

    Li, Diao, Chen, He 2021 (arXiv 2102.02079), "quantity-based label imbalance".
    """

    kind = "pathological"

    def __init__(
        self,
        num_partitions: int,
        num_classes_per_partition: int,
        class_assignment_mode: str = "random",
        shuffle: bool = True,
        seed: int = SEED,
    ) -> None:
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.num_classes_per_partition = whole("num_classes_per_partition", num_classes_per_partition, 1)
        if class_assignment_mode not in MODES:
            raise unknown("class_assignment_mode", str(class_assignment_mode), MODES)
        self.class_assignment_mode = class_assignment_mode
        self.shuffle = boolean("shuffle", shuffle)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        check_single_labels(self.kind, y)
        c, m = self.num_classes_per_partition, self.num_partitions
        check_enough_points(len(y), m, c)
        labels = np.unique(y)
        if c > len(labels):
            raise BoundkitError(
                f"num_classes_per_partition must be at most {len(labels)}, the number of classes, "
                f"but it is {c}."
            )
        rng = np.random.default_rng(self.seed)
        has = np.zeros((m, len(labels)), dtype=bool)
        for k in range(m):
            has[k, self._classes(rng, k, len(labels))] = True
        clients: list[list[Indices]] = [[] for _ in range(m)]
        for label, assigned in zip(labels.tolist(), has.T, strict=True):
            points, owners = np.nonzero(y == label)[0], np.nonzero(assigned)[0]
            if len(owners) > len(points):
                raise BoundkitError(
                    f"class {label} has {len(points)} points, but {len(owners)} clients are to share it; "
                    "take fewer clients or fewer classes for each."
                )
            if len(owners):
                for k, piece in zip(owners.tolist(), np.array_split(points, len(owners)), strict=True):
                    clients[k].append(piece)
        made = [np.concatenate(own) for own in clients]
        if self.shuffle:
            for own in made:
                rng.shuffle(own)
        return made

    def _classes(self, rng: np.random.Generator, k: int, labels: int) -> list[int]:
        c = self.num_classes_per_partition
        if self.class_assignment_mode == "random":
            return [int(a) for a in rng.choice(labels, size=c, replace=False)]
        if self.class_assignment_mode == "deterministic":
            return [(k + i) % labels for i in range(c)]
        chosen = [k % labels]
        while len(chosen) < c:  # redrawn on repeats, as flwr-datasets does
            another = int(rng.choice(labels, size=1)[0])
            if another not in chosen:
                chosen.append(another)
        return chosen


class Shards(Partitioner):
    """Shards of consecutive points of the data sorted by label, assigned at random.

    With ``num_shards_per_partition`` every client gets that many, each of ``shard_size`` points, by default
    the largest that the data allow. With ``shard_size`` alone all whole shards are assigned, and clients
    differ by at most one. Points that fill no shard, and unassigned shards, are left out. A shard that begins
    in one class and ends in the next contains both.

    One seed gives the same clients as ShardPartitioner of flwr-datasets 0.6.1 with the same arguments. Raises
    BoundkitError for numbers outside their range, and without either.

    McMahan et al. 2017 (arXiv 1602.05629), section 3: MNIST in 200 shards of 300 points, 2 for each client.
    """

    kind = "shards"

    def __init__(
        self,
        num_partitions: int,
        num_shards_per_partition: int | None = None,
        shard_size: int | None = None,
        shuffle: bool = True,
        seed: int = SEED,
    ) -> None:
        if num_shards_per_partition is None and shard_size is None:
            raise BoundkitError("a shards partition needs num_shards_per_partition, or shard_size, or both.")
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.num_shards_per_partition = (
            None
            if num_shards_per_partition is None
            else whole("num_shards_per_partition", num_shards_per_partition, 1)
        )
        self.shard_size = None if shard_size is None else whole("shard_size", shard_size, 1)
        self.shuffle = boolean("shuffle", shuffle)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        check_single_labels(self.kind, y)
        each, N, m = self.num_shards_per_partition, len(y), self.num_partitions
        check_enough_points(N, m, (each or 1) * (self.shard_size or 1))
        size = self.shard_size or N // (m * (each or 1))
        shards = N // size
        counts = np.full(m, each) if each else shards // m + (np.arange(m) < shards % m)
        rng = np.random.default_rng(self.seed)
        order = np.argsort(y, kind="stable")[: shards * size].reshape(shards, size)
        assigned = rng.permutation(shards)[: counts.sum()]
        clients = [order[own].reshape(-1) for own in np.split(assigned, np.cumsum(counts))[:-1]]
        if self.shuffle:
            for own in clients:
                rng.shuffle(own)
        return clients
