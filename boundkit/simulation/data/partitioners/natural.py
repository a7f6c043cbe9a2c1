"""Natural clients: the groups of the data, such as the roles of plays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.data.partitioners.base import SEED, Indices, Partitioner
from boundkit.simulation.validation import whole


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
