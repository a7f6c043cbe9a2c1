"""Label skew by shards: the points sorted by label, cut into equal pieces, and some pieces for each client.

McMahan et al. 2017 (arXiv 1602.05629), section 3: MNIST in 200 shards of 300 points, 2 for each client.
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
from boundkit.simulation.validation import boolean, whole


class Shards(Partitioner):
    """Shards of consecutive points of the data sorted by label, assigned at random.

    With ``num_shards_per_partition`` every client gets that many, each of ``shard_size`` points, by default
    the largest that the data allow. With ``shard_size`` alone all whole shards are assigned, and clients
    differ by at most one. Points that fill no shard, and unassigned shards, are left out. A shard that begins
    in one class and ends in the next contains both.

    One seed gives the same clients as ShardPartitioner of flwr-datasets 0.6.1 with the same arguments. Raises
    BoundkitError for numbers outside their range, and without either.
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
