"""The laws of the partitions, and that they are those of flwr-datasets where they say so."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from boundkit.simulation.data import PARTITIONERS, load_dataset, partition, partition_json, partitioner
from boundkit.simulation.data.partitioners.iid import proportional
from tests.simulation.data.splits import GROUPS, SPECS, WHOLE, Y

every = pytest.mark.parametrize("name", SPECS)


def of(name: str, **more: Any) -> list[NDArray[np.intp]]:
    return partition(SPECS[name] | more, Y, GROUPS)


def sizes(clients: list[NDArray[np.intp]]) -> list[int]:
    return [len(own) for own in clients]


def skew(clients: list[NDArray[np.intp]], y: NDArray[np.int64]) -> float:
    """Mean over points of the total variation between their client's labels and all labels."""
    classes, whole = int(y.max()) + 1, np.bincount(y) / len(y)
    each = [np.abs(np.bincount(y[own], minlength=classes) / len(own) - whole).sum() / 2 for own in clients]
    return float(np.average(each, weights=sizes(clients)))


# Laws of all


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
def test_a_seed_draws_the_same_clients_and_another_draws_others(name: str) -> None:
    first, again, same, other = (
        [own.tolist() for own in of(name, **seed)] for seed in ({}, {}, {"seed": 42}, {"seed": 1})
    )
    assert first == again == same
    assert (first != other) == (name != "natural")  # all natural clients: nothing is drawn


@every
def test_the_normal_form_has_every_default_and_draws_the_same(name: str) -> None:
    full = partition_json(SPECS[name])
    assert full.items() >= SPECS[name].items()
    assert full["seed"] == 42
    assert partition_json(full) == full == json.loads(json.dumps(full))
    assert [a.tolist() for a in partition(full, Y, GROUPS)] == [a.tolist() for a in of(name)]


def test_the_normal_forms_of_two() -> None:
    assert partition_json(SPECS["dirichlet"]) == {
        "kind": "dirichlet",
        "num_partitions": 7,
        "alpha": 0.5,
        "min_partition_size": 10,
        "self_balancing": False,
        "shuffle": True,
        "seed": 42,
    }
    assert partition_json(SPECS["lognormal"])["sigma"] == 1.0
    assert "sigma" not in partition_json(SPECS["iid"])


RECORDED = json.loads((Path(__file__).parent / "flwr_datasets.json").read_text())
"""What the partitioners of flwr-datasets 0.6.1 (Apache-2.0) gave for these arguments and the labels below."""


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: json.dumps(case["partition"]))
def test_clients_are_those_of_flwr_datasets(case: dict[str, Any]) -> None:
    y = np.array([int(digit) for digit in "3141592653589793238462643383279502884197"]) % 5
    assert [own.tolist() for own in partition(case["partition"], y)] == case["clients"]


# iid


@given(st.integers(1, 60), st.integers(0, 200), st.integers(0, 5))
def test_iid_sizes_differ_by_at_most_one(m: int, more: int, seed: int) -> None:
    clients = partition({"kind": "iid", "num_partitions": m, "seed": seed}, np.zeros(m + more))
    assert max(sizes(clients)) - min(sizes(clients)) <= 1
    assert sorted(np.concatenate(clients).tolist()) == list(range(m + more))


def test_iid_clients_have_the_labels_of_all() -> None:
    y = np.sort(Y.repeat(50))  # sorted data would be unlike without a random order
    assert skew(partition({"kind": "iid", "num_partitions": 10}, y), y) < 0.03


def test_listed_sizes_are_kept_in_order() -> None:
    assert sizes(of("listed")) == [100, 1, 299]
    assert sizes(of("listed in part")) == [100, 1, 50]


@given(st.integers(1, 40), st.integers(0, 300), st.floats(0.01, 100), st.integers(0, 5))
def test_lognormal_sizes_give_everybody_a_point(m: int, more: int, sigma: float, seed: int) -> None:
    spec = {"kind": "iid", "num_partitions": m, "sizes": "lognormal", "sigma": sigma, "seed": seed}
    clients = partition(spec, np.zeros(m + more))
    assert min(sizes(clients)) >= 1
    assert sum(sizes(clients)) == m + more


def test_lognormal_sizes_spread_as_sigma_says() -> None:
    for sigma in (0.1, 0.5, 1.0):
        spec = {"kind": "iid", "num_partitions": 400, "sizes": "lognormal", "sigma": sigma}
        logs = np.log(sizes(partition(spec, np.zeros(400_000))))
        # the deviation of a sample deviation of 400 normals is sigma/sqrt(800); three of them
        assert logs.std() == pytest.approx(sigma, rel=3 / 800**0.5)


def test_sizes_are_rounded_to_the_largest_remainders() -> None:
    # ten points: one each, and seven in proportion 1 : 2 : 3 are 1 1/6, 2 1/3 and 3 1/2
    assert proportional(10, np.log([1.0, 2.0, 3.0])).tolist() == [2, 3, 5]
    assert proportional(3, np.array([0.0, 1e50, 0.0])).tolist() == [1, 1, 1]
    assert proportional(9, np.array([0.0, 1e50, 0.0])).tolist() == [1, 7, 1]


# dirichlet


def test_label_skew_falls_as_alpha_grows() -> None:
    y = np.random.default_rng(0).integers(0, 10, 5000)
    found = [
        np.mean(
            [
                skew(partition({"kind": "dirichlet", "num_partitions": 10, "alpha": a, "seed": s}, y), y)
                for s in range(5)
            ]
        )
        for a in (0.1, 1, 10, 1000)
    ]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.5
    assert found[-1] < 0.03


def test_shares_of_a_class_have_the_moments_of_the_law() -> None:
    # a share q_k of Dirichlet(alpha) over m clients has mean 1/m and variance (m - 1)/(m^2 (m alpha + 1))
    m, alpha, n = 4, 0.7, 500
    y = np.arange(40).repeat(n)
    counts = np.array([np.bincount(y[own], minlength=40) for own in partition(
        {"kind": "dirichlet", "num_partitions": m, "alpha": alpha}, y
    )])  # fmt: skip
    shares = counts / n
    np.testing.assert_allclose(shares.sum(axis=0), 1)
    expected = (m - 1) / (m**2 * (m * alpha + 1))
    assert shares.var() == pytest.approx(expected, rel=0.25)  # 160 shares, dependent four by four
    assert float(np.asarray(np.corrcoef(shares[:2]))[0, 1]) == pytest.approx(-1 / (m - 1), abs=0.35)


@pytest.mark.parametrize("least", [1, 20, 40])
def test_the_smallest_size_holds(least: int) -> None:
    spec = {"kind": "dirichlet", "num_partitions": 5, "alpha": 0.5, "min_partition_size": least}
    for seed in range(5):
        assert min(sizes(partition(spec | {"seed": seed}, Y))) >= least


def test_a_list_of_alphas_makes_large_and_small_clients() -> None:
    got = np.array([sizes(of("dirichlet, each its own", seed=s, min_partition_size=1)) for s in range(20)])
    assert (np.diff(got.mean(axis=0)) > 0).all()


def test_balancing_keeps_clients_from_growing_far_over_their_share() -> None:
    free = [max(sizes(of("dirichlet", alpha=0.1, seed=s, min_partition_size=1))) for s in range(10)]
    held = [max(sizes(of("dirichlet, balanced", seed=s, min_partition_size=1))) for s in range(10)]
    largest_class = np.bincount(Y).max()
    assert max(held) <= len(Y) / 7 + largest_class
    assert np.mean(held) < np.mean(free)


@pytest.mark.parametrize("alpha", [1e-50, 1e-3, 1e50])
@pytest.mark.parametrize("balanced", [True, False])
def test_extreme_alphas_are_drawn(alpha: float, balanced: bool) -> None:
    spec = {"kind": "dirichlet", "num_partitions": 2, "alpha": alpha, "min_partition_size": 1}
    clients = partition(spec | {"self_balancing": balanced}, Y)
    assert sum(sizes(clients)) == len(Y)


@pytest.mark.parametrize("name", ["dirichlet", "shards", "pathological"])
def test_shuffling_changes_the_order_only(name: str) -> None:
    mixed, sorted_by_class = of(name), of(name, shuffle=False)
    assert [sorted(a) for a in mixed] == [sorted(a) for a in sorted_by_class]
    assert all((np.diff(Y[own]) >= 0).all() for own in sorted_by_class) or name == "shards"
    assert any((np.diff(Y[own]) < 0).any() for own in mixed)


# shards


def test_shards_of_balanced_classes_hold_one_label_each() -> None:
    y = np.random.default_rng(0).permutation(np.arange(10).repeat(60))
    clients = partition({"kind": "shards", "num_partitions": 100, "num_shards_per_partition": 2}, y)
    assert set(sizes(clients)) == {6}
    assert max(len(np.unique(y[own])) for own in clients) == 2
    assert sorted(np.concatenate(clients).tolist()) == list(range(600))


def test_shards_of_unequal_classes_hold_no_more_than_two_labels_each() -> None:
    for own in of("shards"):
        assert len(np.unique(Y[own])) <= 4


def test_all_whole_shards_are_dealt_out() -> None:
    assert sorted(sizes(of("shards of a size"))) == [55] * 6 + [66]  # 36 shards of 11 for 7 clients
    assert sizes(of("some shards of a size")) == [22] * 7


# pathological


@pytest.mark.parametrize("mode", ["random", "deterministic", "first-deterministic"])
@pytest.mark.parametrize("c", [1, 2, 5])
def test_clients_have_exactly_so_many_classes(mode: str, c: int) -> None:
    clients = of("pathological", num_classes_per_partition=c, class_assignment_mode=mode)
    assert {len(np.unique(Y[own])) for own in clients} == {c}
    if mode == "deterministic":
        assert all(set(Y[own]) == {(k + i) % 5 for i in range(c)} for k, own in enumerate(clients))
    if mode == "first-deterministic":
        assert all(k % 5 in Y[own] for k, own in enumerate(clients))
    for label in range(5):  # who has a class has an equal part of it
        parts = [n for own in clients if (n := int((Y[own] == label).sum()))]
        assert not parts or (max(parts) - min(parts) <= 1 and sum(parts) == np.bincount(Y)[label])


# natural


def test_natural_clients_are_the_groups_in_their_order() -> None:
    clients = of("natural")
    assert [set(GROUPS[own]) for own in clients] == [{name} for name in np.unique(GROUPS)]
    assert all((np.diff(own) > 0).all() for own in clients)


def test_some_natural_clients_are_picked_of_those_large_enough() -> None:
    large = {int(g) for g in np.unique(GROUPS) if (g == GROUPS).sum() >= 30}
    picked: set[int] = set()
    for seed in range(40):
        clients = of("natural, some", seed=seed)
        names = [int(GROUPS[own[0]]) for own in clients]
        assert names == sorted(set(names))
        assert set(names) <= large
        for own, group in zip(clients, names, strict=True):
            assert own.tolist() == [i for i, name in enumerate(GROUPS) if name == group]
        picked |= set(names)
    assert picked == large
    assert len(large) > 4


def test_texts_are_divided_by_their_readers_or_at_random() -> None:
    y = np.zeros((400, 80), dtype=np.int64)
    assert sizes(partition(SPECS["natural"], y, GROUPS)) == sizes(of("natural"))
    assert sum(sizes(partition(SPECS["iid"], y))) == 400


def test_the_digits_are_divided_among_a_hundred() -> None:
    y = load_dataset("digits").y
    spec = {"kind": "dirichlet", "num_partitions": 100, "alpha": 0.3, "min_partition_size": 2, "seed": 42}
    clients = partition(spec, y)
    assert len(clients) == 100
    assert min(sizes(clients)) >= 2
    assert sorted(np.concatenate(clients).tolist()) == list(range(1437))


def test_every_kind_says_its_fields_and_is_tested_here() -> None:
    assert {spec["kind"] for spec in SPECS.values()} == set(PARTITIONERS)
    for kind, chosen in PARTITIONERS.items():
        required, optional = chosen.fields()
        assert chosen.kind == kind
        assert optional["seed"] == 42
        assert {"num_partitions"} <= {*required, *optional}
    assert type(partitioner(SPECS["shards"])) is PARTITIONERS["shards"]
