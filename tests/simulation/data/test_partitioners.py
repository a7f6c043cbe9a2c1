"""Properties of the partitions, and agreement with flwr-datasets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.data import PARTITIONERS, partition, partition_json, partitioner
from boundkit.simulation.data.partitioners.base import proportional
from tests.cases import each
from tests.simulation.data.splits import GROUPS, SPECS, WHOLE, Y

every = each("name", SPECS)


def of(name: str, **more: Any) -> list[NDArray[np.intp]]:
    return partition(SPECS[name] | more, Y, GROUPS)


def sizes(clients: list[NDArray[np.intp]]) -> list[int]:
    return [len(own) for own in clients]


# All kinds


@every
def test_clients_are_disjoint_and_none_is_empty(name: str) -> None:
    clients = of(name)
    points = np.concatenate(clients)
    assert all(own.dtype == np.intp and own.ndim == 1 and len(own) for own in clients)
    assert len(np.unique(points)) == len(points)
    assert 0 <= points.min() <= points.max() < len(Y)
    assert (len(points) == len(Y)) == (name in WHOLE)
    if "num_partitions" in SPECS[name]:
        assert len(clients) == SPECS[name]["num_partitions"]


@every
def test_seeds_and_the_complete_json_reproduce_the_clients(name: str) -> None:
    first, again, same, other = (
        [own.tolist() for own in of(name, **seed)] for seed in ({}, {}, {"seed": 42}, {"seed": 1})
    )
    assert first == again == same
    assert (first != other) == (name != "natural")  # all natural clients: nothing is random
    full = partition_json(SPECS[name])
    assert full.items() >= SPECS[name].items()
    assert full["seed"] == 42
    assert partition_json(full) == full == json.loads(json.dumps(full))
    assert [a.tolist() for a in partition(full, Y, GROUPS)] == first


RECORDED = json.loads((Path(__file__).parent / "flwr_datasets.json").read_text())
"""What the partitioners of flwr-datasets 0.6.1 (Apache-2.0) gave for these arguments and the labels below."""


def test_clients_are_those_of_flwr_datasets() -> None:
    y = np.array([int(digit) for digit in "3141592653589793238462643383279502884197"]) % 5
    for case in RECORDED:
        clients = [own.tolist() for own in partition(case["partition"], y)]
        assert clients == case["clients"], case["partition"]


# iid


def test_listed_sizes_are_kept_in_order() -> None:
    assert sizes(of("listed")) == [100, 1, 299]
    assert sizes(of("listed in part")) == [100, 1, 50]


def test_sizes_are_rounded_to_the_largest_remainders() -> None:
    # ten points: one each, and seven in proportion 1 : 2 : 3 are 1 1/6, 2 1/3 and 3 1/2
    assert proportional(10, np.log([1.0, 2.0, 3.0])).tolist() == [2, 3, 5]
    assert proportional(3, np.array([0.0, 1e50, 0.0])).tolist() == [1, 1, 1]
    assert proportional(9, np.array([0.0, 1e50, 0.0])).tolist() == [1, 7, 1]


# dirichlet


def test_the_smallest_size_is_respected() -> None:
    for least in (1, 20, 40):
        spec = {"kind": "dirichlet", "num_partitions": 5, "alpha": 0.5, "min_partition_size": least}
        for seed in range(5):
            assert min(sizes(partition(spec | {"seed": seed}, Y))) >= least
    balanced = np.arange(2).repeat(2)
    spec = {"kind": "dirichlet", "num_partitions": 2, "alpha": 1e6, "min_partition_size": 2}
    assert sizes(partition(spec, balanced)) == [2, 2]  # the bound itself is allowed


def test_balancing_bounds_the_largest_client() -> None:
    free = [max(sizes(of("dirichlet", alpha=0.1, seed=s, min_partition_size=1))) for s in range(10)]
    held = [max(sizes(of("dirichlet, balanced", seed=s, min_partition_size=1))) for s in range(10)]
    largest_class = np.bincount(Y).max()
    assert max(held) <= len(Y) / 7 + largest_class
    assert np.mean(held) < np.mean(free)


# shards


def test_shards_of_balanced_classes_have_one_label() -> None:
    y = np.random.default_rng(0).permutation(np.arange(10).repeat(60))
    clients = partition({"kind": "shards", "num_partitions": 100, "num_shards_per_partition": 2}, y)
    assert set(sizes(clients)) == {6}
    assert max(len(np.unique(y[own])) for own in clients) == 2
    assert sorted(np.concatenate(clients).tolist()) == list(range(600))


# pathological


@each(("mode", "c"), [("random", 1), ("random", 5), ("deterministic", 2), ("first-deterministic", 2)])
def test_clients_have_the_given_number_of_classes(mode: str, c: int) -> None:
    clients = of("pathological", num_classes_per_partition=c, class_assignment_mode=mode)
    assert {len(np.unique(Y[own])) for own in clients} == {c}
    if mode == "deterministic":
        assert all(set(Y[own]) == {(k + i) % 5 for i in range(c)} for k, own in enumerate(clients))
    if mode == "first-deterministic":
        assert all(k % 5 in Y[own] for k, own in enumerate(clients))
    for label in range(5):  # in equal parts
        parts = [n for own in clients if (n := int((Y[own] == label).sum()))]
        assert not parts or (max(parts) - min(parts) <= 1 and sum(parts) == np.bincount(Y)[label])


# natural


def test_natural_clients_are_sampled_from_those_large_enough() -> None:
    large = {int(g) for g in np.unique(GROUPS) if (g == GROUPS).sum() >= 30}
    sampled: set[int] = set()
    for seed in range(40):
        clients = of("natural, some", seed=seed)
        names = [int(GROUPS[own[0]]) for own in clients]
        assert names == sorted(set(names))
        assert set(names) <= large
        for own, group in zip(clients, names, strict=True):
            assert own.tolist() == [i for i, name in enumerate(GROUPS) if name == group]
        sampled |= set(names)
    assert sampled == large
    assert len(large) > 4


def test_every_kind_declares_its_fields_and_is_tested() -> None:
    assert {spec["kind"] for spec in SPECS.values()} == set(PARTITIONERS)
    for kind, chosen in PARTITIONERS.items():
        required, optional = chosen.fields()
        assert chosen.kind == kind
        assert optional["seed"] == 42
        assert {"num_partitions"} <= {*required, *optional}
    assert type(partitioner(SPECS["shards"])) is PARTITIONERS["shards"]


def of_kind(kind: str, num_partitions: Any = ..., **fields: Any) -> dict[str, Any]:
    return {"kind": kind} | ({} if num_partitions is ... else {"num_partitions": num_partitions}) | fields


REFUSED: list[tuple[Any, str]] = [
    ("iid", 'partition must be an object with a "kind"'),
    (of_kind("dirichlets"), "unknown kind of partition 'dirichlets'; did you mean 'dirichlet'?"),
    (of_kind("iid"), "the iid partition needs the field 'num_partitions'."),
    (of_kind("dirichlet", 3), "the dirichlet partition needs the field 'alpha'."),
    (of_kind("iid", 3, alpha=1), "unknown field of the iid partition 'alpha'"),
    (of_kind("iid", None), "the field 'num_partitions' of the iid partition is null"),
    (of_kind("iid", 0), "num_partitions must be a whole number from 1"),
    (of_kind("iid", 401), "401 clients with at least 1 point each need 401 points, but the data"),
    (of_kind("iid", 3, sizes="log-normal"), "unknown distribution of sizes 'log-normal'"),
    (of_kind("iid", 3, sizes=[1, 2]), "3 whole numbers, one a client"),
    (of_kind("iid", 2, sizes=[1, 400]), "sizes sum to 401 points, but the data have 400."),
    (of_kind("iid", 3, sigma=1), "sigma is the standard deviation of lognormal sizes"),
    (of_kind("iid", 3, sizes="lognormal", sigma=0), "sigma must be above 0"),
    (of_kind("dirichlet", 3, alpha=0), "alpha must be above 0, but it is 0."),
    (of_kind("dirichlet", 2, alpha=[1, -2]), "alpha must be above 0, but it is -2."),
    (
        of_kind("dirichlet", 41, alpha=1),
        "41 clients with at least 10 points each need 410 points, but the data have 400.",
    ),
    (
        of_kind("dirichlet", 40, alpha=0.3),
        "min_partition_size 10 was not reached in 1000 draws of a dirichlet partition: the smallest of 40",
    ),
    (of_kind("shards", 3), "needs num_shards_per_partition, or shard_size, or both."),
    (
        of_kind("shards", 3, num_shards_per_partition=2, shard_size=67),
        "3 clients with at least 134 points each need 402 points, but the data have 400.",
    ),
    (
        of_kind("pathological", 3, num_classes_per_partition=6),
        "num_classes_per_partition must be at most 5, the number of classes, but it is 6.",
    ),
    (
        of_kind("pathological", 90, num_classes_per_partition=4),
        "points, but 81 clients are to share it; take fewer clients or fewer classes for each.",
    ),
    (
        of_kind("pathological", 3, num_classes_per_partition=2, class_assignment_mode="first_deterministic"),
        "unknown class_assignment_mode 'first_deterministic'; did you mean 'first-deterministic' or",
    ),
    (of_kind("natural", 13), "needs 13 clients of at least 1 points each, but the data have 12"),
]


def test_invalid_fields_and_insufficient_data_are_refused_in_one_sentence() -> None:
    for spec, sentence in REFUSED:
        with pytest.raises(BoundkitError) as refusal:
            partition(spec, Y, GROUPS)
        assert sentence in str(refusal.value)
        assert str(refusal.value).endswith((".", "?"))
        assert "\n" not in str(refusal.value)
    for kind in ("dirichlet", "shards", "pathological"):
        with pytest.raises(BoundkitError, match=rf"a {kind} partition needs one label a point.*take iid or"):
            partition(SPECS[kind], np.zeros((400, 80), dtype=np.int64))
    with pytest.raises(BoundkitError, match="such as shakespeare"):
        partition({"kind": "natural"}, Y)
