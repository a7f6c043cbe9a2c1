"""A partition of each kind and variant, and labels and natural clients of 400 points for them."""

from typing import Any

import numpy as np

Y = np.random.default_rng(3).integers(0, 5, 400)
GROUPS = np.random.default_rng(4).integers(0, 12, 400) * 3
SPECS: dict[str, dict[str, Any]] = {
    "iid": {"kind": "iid", "num_partitions": 7},
    "lognormal": {"kind": "iid", "num_partitions": 7, "sizes": "lognormal"},
    "listed": {"kind": "iid", "num_partitions": 3, "sizes": [100, 1, 299]},
    "listed in part": {"kind": "iid", "num_partitions": 3, "sizes": [100, 1, 50]},
    "dirichlet": {"kind": "dirichlet", "num_partitions": 7, "alpha": 0.5},
    "dirichlet, balanced": {"kind": "dirichlet", "num_partitions": 7, "alpha": 0.1, "self_balancing": True},
    "dirichlet, each its own": {"kind": "dirichlet", "num_partitions": 3, "alpha": [0.5, 1, 9]},
    "shards": {"kind": "shards", "num_partitions": 7, "num_shards_per_partition": 2},
    "shards of a size": {"kind": "shards", "num_partitions": 7, "shard_size": 11},
    "some shards of a size": {
        "kind": "shards",
        "num_partitions": 7,
        "shard_size": 11,
        "num_shards_per_partition": 2,
    },
    "pathological": {"kind": "pathological", "num_partitions": 7, "num_classes_per_partition": 2},
    "natural": {"kind": "natural"},
    "natural, some": {"kind": "natural", "num_partitions": 4, "min_partition_size": 30},
}
WHOLE = ("natural", *(name for name in SPECS if name.startswith(("iid", "lognormal", "dirichlet"))), "listed")
"""Those that give every point to somebody."""
