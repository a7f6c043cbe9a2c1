"""Label skew: the points of every class are divided among clients in Dirichlet-distributed shares.

Yurochkin et al. 2019 (arXiv 1905.12022), as in flwr-datasets and most code. Hsu, Qi, Brown 2019
(arXiv 1909.06335) instead draw each client's shares of the classes, and all clients
get the same number of points. Here sizes are unequal too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
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
