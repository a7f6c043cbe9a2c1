"""The passage to the target takes the steps of a simulation, and looks at one number."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boundkit.simulation.simulate import simulate
from boundkit.studies.rounds_to_target import GridCell
from boundkit.studies.rounds_to_target.computation import (
    network_of,
    run_of,
    tune_cell,
)
from boundkit.studies.rounds_to_target.first_passage import (
    CensoredMedian,
    FirstPassageEngine,
    crossing_time,
    evaluate,
    median,
    ranks,
    speed_up,
)
from tests.cases import each
from tests.studies.rounds_to_target.small import small_query

NAN = float("nan")
SHARDS = GridCell("fedavg", 0.5, 10, 2.0, "shards:2")


@each("algorithm", ["fedavg", "scaffold", "fedprox:mu=0.1"])
@each(("target", "observable"), [(1.0, "test_accuracy"), ("loss:0.001", "loss")])
def test_levels_equal_those_of_simulate(algorithm: str, target: object, observable: str) -> None:
    query = small_query(target=target, rounds=4, dtype="float64")
    cell = GridCell(algorithm, 0.5, 10, 2.0, "shards:2")
    network = network_of(cell, query)
    run = run_of(cell, query, 0.2, network)
    levels = FirstPassageEngine(run, network, query.target, 3, "float64", "cpu").levels()
    simulated = simulate(run, replicas=3).observed[observable]
    np.testing.assert_allclose(levels, simulated, rtol=1e-12)


def test_an_accuracy_is_counted_in_double_precision() -> None:
    """A share of 0.6 meets the target 0.6, though 0.6 in single precision is another number."""
    network = network_of(SHARDS, small_query())
    x = np.random.default_rng(0).standard_normal((40, network.d)).astype(np.float32)
    found = evaluate(network, "test_accuracy", x)
    right = np.rint(found * 90)
    assert (found == right / 90).all()
    assert not np.array_equal(found, found.astype(np.float32))


def test_it_stops_when_all_replicas_have_reached_the_target() -> None:
    query = small_query(rounds=200)
    network = network_of(SHARDS, query)
    levels = FirstPassageEngine(
        run_of(SHARDS, query, 0.5, network), network, query.target, 3, "float32", "cpu"
    ).levels()
    assert levels.shape[1] < 100
    assert (levels.max(axis=1) >= 0.6).all()
    assert not (levels[:, :-1].max(axis=1) >= 0.6).all()  # and not later


def test_a_deterministic_run_has_one_replica() -> None:
    query = small_query()
    cell = GridCell("fedavg", 1.0, None, 1.0, "iid")
    record = tune_cell(cell, query)
    assert record["random"] is False
    assert [len(e["rounds"]) for e in record["etas"]] == [1, 1]


def test_groups_of_replicas_agree_with_all_at_once() -> None:
    query = small_query(dtype="float64")
    network = network_of(SHARDS, query)
    passage = FirstPassageEngine(
        run_of(SHARDS, query, 0.5, network), network, query.target, 3, "float64", "cpu"
    )
    whole = passage.levels()
    passage.chunk = 2
    parts = passage.levels()
    both = np.isfinite(parts)
    assert both.all(axis=0).any()
    np.testing.assert_allclose(parts[both], whole[:, : parts.shape[1]][both], rtol=1e-12)


def test_a_diverging_replica_never_reaches_the_target() -> None:
    record = tune_cell(SHARDS, small_query(eta=(1e30, 0.5), target="loss:1.2"))
    tried = {e["eta"]: e for e in record["etas"]}
    assert tried[1e30]["rounds"] == [None] * 3
    assert tried[1e30]["diverged"] == 3
    assert tried[1e30]["walked"] < 5
    assert record["chosen"] == 0.5
    alone = tune_cell(SHARDS, small_query(eta=1e30, target="loss:1.2"))
    assert alone["chosen"] == 1e30
    assert alone["curves"][0][-1] is None


def test_abandoning_step_sizes_changes_neither_the_choice_nor_its_result() -> None:
    grid = (0.02, 0.1, 0.5, 1.0, 4.0)
    together = tune_cell(SHARDS, small_query(eta=grid))
    assert any(e["given_up"] for e in together["etas"])
    alone = {eta: tune_cell(SHARDS, small_query(eta=eta)) for eta in grid}
    late = {eta: np.median([99.0 if r is None else r for r in record["etas"][0]["rounds"]])
            for eta, record in alone.items()}  # fmt: skip
    best = min(late, key=lambda eta: late[eta])
    assert together["chosen"] == best
    of_best = next(e for e in together["etas"] if e["eta"] == best)
    assert of_best["rounds"] == alone[best]["etas"][0]["rounds"]
    assert together["curves"] == alone[best]["curves"]
    for tried in together["etas"]:
        if tried["given_up"]:  # abandoned step sizes would not have been better
            assert tried["walked"] < 15
            assert late[tried["eta"]] >= late[best]


@each(
    ("levels", "target", "rises", "rounds"),
    [
        ([0.0, 1.0], 0.25, True, 0.25),
        ([0.0, 0.5, 0.9], 0.5, True, 1.0),  # met on the spot
        ([0.0, 0.5, 0.9], 0.7, True, 1.5),
        ([0.0, 0.5, 0.1, 0.9], 0.7, True, 2.5),  # from the best so far, not from the relapse
        ([0.0, 1.0, 0.1, 0.1], 0.75, True, 0.75),  # a later relapse does not count
        ([0.0, 0.5, 0.5, 0.5, 1.0], 0.75, True, 3.5),  # a plateau
        ([0.0, 0.5, 0.6], 0.7, True, None),
        ([0.0, NAN, 0.5, 1.0], 0.75, True, 2.5),  # what is no number is no improvement
        ([0.2, 0.4, NAN, NAN], 0.5, True, None),
        ([0.9, 0.1], 0.5, True, 0.0),
        ([2.0, 1.0], 1.25, False, 0.75),
        ([2.0, 1.0, 3.0, 0.0], 0.5, False, 2.5),
        ([2.0, 1.0], 0.5, False, None),
    ],
)
def test_by_hand(levels: list[float], target: float, rises: bool, rounds: float | None) -> None:
    assert crossing_time(np.array(levels), target, rises) == rounds


CASES: list[tuple[list[float | None], float, bool]] = [
    ([5.0], 5.0, False),
    ([None], 100.0, True),
    ([5.0, 1.0, 9.0], 5.0, False),
    ([5.0, None, 1.0], 5.0, False),  # a censored replica moves the median no further than its rank
    ([5.0, None, None], 100.0, True),
    ([1.0, 3.0, 5.0, None], 4.0, False),
    ([1.0, 3.0, None, None], 51.5, True),  # at least the mean of 3 and the cap
    ([1.0, None, None, None], 100.0, True),
    ([100.0, 100.0, 100.0], 100.0, False),  # reached in the last round
]


def test_median_values() -> None:
    for rounds, value, censored in CASES:
        result = median(rounds, cap=100)
        assert (result.value, result.censored) == (value, censored), rounds


def test_a_censored_median_is_a_lower_bound_whatever_came_after() -> None:
    rounds: list[float | None] = [4.0, None, 9.0, None]
    result = median(rounds, cap=20)
    for beyond in product([20.5, 100.0, 1e6], repeat=2):
        assert float(np.median([4.0, 9.0, *beyond])) > result.value


def test_the_interval_consists_of_order_statistics() -> None:
    result = median([float(r) for r in range(1, 21)], cap=100)
    assert (result.low, result.high) == (6.0, 15.0)
    assert result.coverage == pytest.approx(0.9586, abs=1e-4)
    open_above = median([1.0, 2.0, 3.0, 4.0, 5.0, None], cap=100)
    assert (open_above.low, open_above.high) == (1.0, None)
    assert (open_above.value, open_above.censored) == (3.5, False)
    beyond = median([None] * 6, cap=100)
    assert (beyond.low, beyond.high, beyond.censored) == (100.0, None, True)
    alone = median([3.0], cap=100)
    assert (alone.low, alone.high, alone.coverage) == (None, None, None)


def test_the_coverage_equals_that_of_enumeration() -> None:
    """Each replica is above the median of the distribution with probability 1/2: all 2^count cases."""
    for count in range(2, 13):
        above = np.array([sum(case) for case in product((0, 1), repeat=count)])
        exact = {k: float(((above >= k) & (count - above >= k)).mean()) for k in range(1, count + 1)}
        for level in (0.5, 0.8, 0.95):
            k, coverage = ranks(count, level)
            case = f"count {count}, level {level}"
            assert 1 <= k <= max(count // 2, 1), case
            assert coverage == pytest.approx(exact[k]), case
            assert coverage >= level or k == 1, case
            assert k == max(count // 2, 1) or exact[k + 1] < level, f"{case}: not the shortest"


def test_speed_ups() -> None:
    base, own = CensoredMedian(100.0, False, 80.0, 120.0, 0.97), CensoredMedian(25.0, False, 20.0, 40.0, 0.97)
    faster = speed_up(base, own)
    assert faster is not None
    assert (faster.factor, faster.bound, faster.low, faster.high) == (4.0, "", 2.0, 6.0)
    late = CensoredMedian(300.0, True, 250.0, None, 0.97)
    than_late, itself_late = speed_up(late, own), speed_up(base, late)
    assert than_late is not None
    assert itself_late is not None
    assert (than_late.factor, than_late.bound, than_late.high) == (12.0, ">", None)
    assert than_late.low == 250 / 40
    assert (itself_late.factor, itself_late.bound, itself_late.low) == (100 / 300, "<", None)
    assert itself_late.high == 120 / 250
    assert speed_up(late, late) is None
