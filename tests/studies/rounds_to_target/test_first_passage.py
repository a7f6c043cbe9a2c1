"""The walk to the target takes the steps of a simulation, and looks at one number."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from boundkit.simulation.simulate import simulate
from boundkit.studies.rounds_to_target import Cell
from boundkit.studies.rounds_to_target.first_passage import Passage, observed
from boundkit.studies.rounds_to_target.networks import network_of, run_of
from boundkit.studies.rounds_to_target.step_size_search import from_the_middle, tuned_cell
from tests.studies.rounds_to_target.small import a_question

SHARDS = Cell("fedavg", 0.5, 10, 2.0, "shards:2")


@pytest.mark.parametrize("algorithm", ["fedavg", "scaffold", "fedprox:mu=0.1"])
@pytest.mark.parametrize(("target", "observable"), [(1.0, "test_accuracy"), ("loss:0.001", "loss")])
def test_it_walks_as_simulate_does(algorithm: str, target: object, observable: str) -> None:
    asked = a_question(target=target, rounds=4, dtype="float64")
    cell = Cell(algorithm, 0.5, 10, 2.0, "shards:2")
    network = network_of(cell, asked)
    run = run_of(cell, asked, 0.2, network)
    levels = Passage(run, network, asked.target, 3, "float64", "cpu").levels()
    seen = simulate(run, replicas=3).observed[observable]
    np.testing.assert_allclose(levels, seen, rtol=1e-12)


def test_an_accuracy_is_counted_in_double_precision() -> None:
    """A share of 0.6 meets the target 0.6, though 0.6 in single precision is another number."""
    network = network_of(SHARDS, a_question())
    x = torch.as_tensor(np.random.default_rng(0).standard_normal((40, network.d)), dtype=torch.float32)
    found = observed(network, "test_accuracy", x)
    right = np.rint(found * 90)
    assert (found == right / 90).all()
    assert not np.array_equal(found, found.astype(np.float32))


def test_it_stops_when_all_have_arrived() -> None:
    asked = a_question(rounds=200)
    network = network_of(SHARDS, asked)
    levels = Passage(run_of(SHARDS, asked, 0.5, network), network, asked.target, 3, "float32", "cpu").levels()
    assert levels.shape[1] < 100
    assert (levels.max(axis=1) >= 0.6).all()
    assert not (levels[:, :-1].max(axis=1) >= 0.6).all()  # and not later


def test_without_chance_there_is_one_replica() -> None:
    asked = a_question()
    cell = Cell("fedavg", 1.0, None, 1.0, "iid")
    record = tuned_cell(cell, asked)
    assert record["random"] is False
    assert [len(e["rounds"]) for e in record["etas"]] == [1, 1]


def test_the_groups_of_a_small_memory_change_little() -> None:
    asked = a_question(dtype="float64")
    network = network_of(SHARDS, asked)
    walk = Passage(run_of(SHARDS, asked, 0.5, network), network, asked.target, 3, "float64", "cpu")
    whole = walk.levels()
    walk.chunk = 2
    parts = walk.levels()
    both = np.isfinite(parts)
    assert both.all(axis=0).any()
    np.testing.assert_allclose(parts[both], whole[:, : parts.shape[1]][both], rtol=1e-12)


def test_a_run_that_diverges_never_arrives() -> None:
    record = tuned_cell(SHARDS, a_question(eta=(1e30, 0.5), target="loss:1.2"))
    tried = {e["eta"]: e for e in record["etas"]}
    assert tried[1e30]["rounds"] == [None] * 3
    assert tried[1e30]["diverged"] == 3
    assert tried[1e30]["walked"] < 5
    assert record["chosen"] == 0.5
    alone = tuned_cell(SHARDS, a_question(eta=1e30, target="loss:1.2"))
    assert alone["chosen"] == 1e30
    assert alone["curves"][0][-1] is None


def test_giving_up_changes_neither_the_choice_nor_its_numbers() -> None:
    grid = (0.02, 0.1, 0.5, 1.0, 4.0)
    together = tuned_cell(SHARDS, a_question(eta=grid))
    assert any(e["given_up"] for e in together["etas"])
    alone = {eta: tuned_cell(SHARDS, a_question(eta=eta)) for eta in grid}
    late = {eta: np.median([99.0 if r is None else r for r in record["etas"][0]["rounds"]])
            for eta, record in alone.items()}  # fmt: skip
    best = min(late, key=lambda eta: late[eta])
    assert together["chosen"] == best
    of_best = next(e for e in together["etas"] if e["eta"] == best)
    assert of_best["rounds"] == alone[best]["etas"][0]["rounds"]
    assert together["curves"] == alone[best]["curves"]
    for tried in together["etas"]:
        if tried["given_up"]:  # what it had seen is no better than what it would have come to
            assert tried["walked"] < 15
            assert late[tried["eta"]] >= late[best]


def test_where_none_arrives_the_nearest_is_chosen() -> None:
    record = tuned_cell(SHARDS, a_question(target=0.999, rounds=3, eta=(0.001, 0.5)))
    assert record["chosen"] == 0.5
    assert all(r is None for e in record["etas"] for r in e["rounds"])


def test_the_grid_is_gone_through_from_its_middle() -> None:
    for count in range(1, 8):
        order = from_the_middle(range(count))
        assert sorted(order) == list(range(count))
        away = [abs(i - (count - 1) / 2) for i in order]
        assert away == sorted(away)
