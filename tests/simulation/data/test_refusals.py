"""What partitioners refuse: fields that are wrong, and data that do not allow what is asked."""

import json
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.data import partition
from tests.simulation.data.splits import GROUPS, SPECS, Y

REFUSED: list[tuple[Any, str]] = [
    ("iid", 'partition must be an object with a "kind"'),
    ({"num_partitions": 3}, 'partition must be an object with a "kind"'),
    ({"kind": 3}, 'partition must be an object with a "kind"'),
    ({"kind": "dirichlets"}, "unknown kind of partition 'dirichlets'; did you mean 'dirichlet'?"),
    ({"kind": "iid"}, "the iid partition needs the field 'num_partitions'."),
    ({"kind": "dirichlet", "num_partitions": 3}, "the dirichlet partition needs the field 'alpha'."),
    ({"kind": "iid", "num_partitions": 3, "alpha": 1}, "unknown field of the iid partition 'alpha'"),
    ({"kind": "iid", "num_partitions": None}, "the field 'num_partitions' of the iid partition is null"),
    ({"kind": "iid", "num_partitions": 0}, "num_partitions must be a whole number from 1"),
    ({"kind": "iid", "num_partitions": 2.5}, "num_partitions must be a whole number"),
    ({"kind": "iid", "num_partitions": True}, "num_partitions must be a whole number"),
    ({"kind": "iid", "num_partitions": 3, "seed": -1}, "seed must be a whole number from 0"),
    (
        {"kind": "iid", "num_partitions": 401},
        "401 clients with at least 1 point each need 401 points, but the data",
    ),
    (
        {"kind": "iid", "num_partitions": 3, "sizes": "log-normal"},
        "unknown distribution of sizes 'log-normal'",
    ),
    ({"kind": "iid", "num_partitions": 3, "sizes": [1, 2]}, "3 whole numbers, one a client"),
    ({"kind": "iid", "num_partitions": 2, "sizes": 7}, "2 whole numbers, one a client"),
    ({"kind": "iid", "num_partitions": 2, "sizes": [1, 0]}, "sizes[1] must be a whole number from 1"),
    (
        {"kind": "iid", "num_partitions": 2, "sizes": [1, 400]},
        "sizes sum to 401 points, but the data have 400.",
    ),
    ({"kind": "iid", "num_partitions": 3, "sigma": 1}, "sigma is the standard deviation of lognormal sizes"),
    ({"kind": "iid", "num_partitions": 3, "sizes": "lognormal", "sigma": 0}, "sigma must be above 0"),
    ({"kind": "dirichlet", "num_partitions": 3, "alpha": 0}, "alpha must be above 0, but it is 0."),
    ({"kind": "dirichlet", "num_partitions": 3, "alpha": "small"}, "alpha must be numbers"),
    ({"kind": "dirichlet", "num_partitions": 3, "alpha": [1, 2]}, "alpha must have the shape (3,)"),
    ({"kind": "dirichlet", "num_partitions": 2, "alpha": [1, -2]}, "alpha must be above 0, but it is -2."),
    ({"kind": "dirichlet", "num_partitions": 3, "alpha": 1, "shuffle": 1}, "shuffle must be true or false"),
    (
        {"kind": "dirichlet", "num_partitions": 3, "alpha": 1, "self_balancing": "yes"},
        "self_balancing must be true",
    ),
    (
        {"kind": "dirichlet", "num_partitions": 3, "alpha": 1, "min_partition_size": 0},
        "min_partition_size must be",
    ),
    (
        {"kind": "dirichlet", "num_partitions": 41, "alpha": 1},
        "41 clients with at least 10 points each need 410 points, but the data have 400.",
    ),
    (
        {"kind": "dirichlet", "num_partitions": 40, "alpha": 0.3},
        "min_partition_size 10 was not reached in 1000 draws of a dirichlet partition: the smallest "
        "of 40 clients had at most ",
    ),
    ({"kind": "shards", "num_partitions": 3}, "needs num_shards_per_partition, or shard_size, or both."),
    ({"kind": "shards", "num_partitions": 3, "shard_size": 0}, "shard_size must be a whole number from 1"),
    (
        {"kind": "shards", "num_partitions": 3, "num_shards_per_partition": 0},
        "num_shards_per_partition must be",
    ),
    (
        {"kind": "shards", "num_partitions": 3, "num_shards_per_partition": 2, "shard_size": 67},
        "3 clients with at least 134 points each need 402 points, but the data have 400.",
    ),
    ({"kind": "shards", "num_partitions": 3, "shard_size": 134}, "need 402 points, but the data have 400."),
    ({"kind": "shards", "num_partitions": 201, "num_shards_per_partition": 2}, "need 402 points"),
    (
        {"kind": "pathological", "num_partitions": 3, "num_classes_per_partition": 6},
        "num_classes_per_partition must be at most 5, the number of classes, but it is 6.",
    ),
    (
        {"kind": "pathological", "num_partitions": 90, "num_classes_per_partition": 4},
        "points, but 81 clients are to share it; take fewer clients or fewer classes for each.",
    ),
    (
        {
            "kind": "pathological",
            "num_partitions": 3,
            "num_classes_per_partition": 2,
            "class_assignment_mode": "first_deterministic",
        },
        "unknown class_assignment_mode 'first_deterministic'; did you mean 'first-deterministic' or",
    ),
    (
        {"kind": "natural", "num_partitions": 13},
        "needs 13 clients of at least 1 points each, but the data have 12",
    ),
    ({"kind": "natural", "min_partition_size": 100}, "needs some clients of at least 100 points each"),
]


@pytest.mark.parametrize(("spec", "said"), REFUSED, ids=[json.dumps(spec) for spec, _ in REFUSED])
def test_what_is_wrong_or_impossible_is_refused_in_one_sentence(spec: Any, said: str) -> None:
    with pytest.raises(BoundkitError) as refusal:
        partition(spec, Y, GROUPS)
    assert said in str(refusal.value)
    assert str(refusal.value).endswith((".", "?"))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("kind", ["dirichlet", "shards", "pathological"])
def test_laws_of_labels_need_one_label_a_point(kind: str) -> None:
    with pytest.raises(
        BoundkitError, match=rf"a {kind} partition needs one label a point.*take iid or natural"
    ):
        partition(SPECS[kind], np.zeros((400, 80), dtype=np.int64))


def test_natural_clients_need_groups() -> None:
    with pytest.raises(BoundkitError, match="such as shakespeare"):
        partition({"kind": "natural"}, Y)
