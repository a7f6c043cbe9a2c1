"""FedAU: its weights by hand, where they settle, and the bias that a cutoff leaves."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.fedau import mean_intervals
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.rounds import E, H, run, states


def omegas(schedule: list[list[int]], cutoff: int | None, rounds: int) -> Any:
    some = run("fedau", schedule=schedule, options={"cutoff": cutoff}, rounds=rounds)
    return np.array([s["omega"][0].numpy() for s in states(some)])


def test_weights_by_hand() -> None:
    w = omegas([[0], [], [0, 1], [], [], [0]], None, 6)
    np.testing.assert_allclose(w[:, 0], [1, 1, 1, 1.5, 1.5, 1.5, 2])  # records 1, 2, 3
    np.testing.assert_allclose(w[:, 1], [1, 1, 1, 3, 3, 3, 3])
    np.testing.assert_allclose(w[:, 2], 1)


def test_a_cutoff_records_those_who_stay_away() -> None:
    w = omegas([[0], [], [0, 1], [], [], [0]], 2, 6)
    np.testing.assert_allclose(w[:, 0], [1, 1, 1, 1.5, 1.5, 5 / 3, 1.5])  # records 1, 2, 2, 1
    np.testing.assert_allclose(w[:, 1], [1, 1, 2, 1.5, 1.5, 5 / 3, 5 / 3])  # 2, 1, 2
    np.testing.assert_allclose(w[:, 2], [1, 1, 2, 2, 2, 2, 2])


def test_with_all_clients_it_is_fedavg() -> None:
    expected = trajectory(run("fedavg", options={"aggregation": "mean"}), "step").x
    np.testing.assert_allclose(trajectory(run("fedau"), "step").x, expected, rtol=1e-13)


@pytest.mark.parametrize(("q", "K"), [(0.1, 50), (0.02, 50), (0.3, 3), (0.7, 1), (1.0, 4), (0.0, 5)])
def test_a_cut_interval_is_geometric(q: float, K: int) -> None:
    expected = (1 - (1 - q) ** K) / q if q else K
    np.testing.assert_allclose(mean_intervals(np.array([[q]]), K), expected, rtol=1e-13)


def recorded(came: Any, K: int | None) -> list[int]:
    """The intervals of one client, of whom it is given whether it came in each round."""
    records, since = [], 0
    for c in came:
        since += 1
        if c or since == K:
            records.append(since)
            since = 0
    return records


@pytest.mark.parametrize("K", [1, 2, 3, 4, 7, 12, None])
def test_weights_settle_under_a_schedule(K: int | None) -> None:
    schedule = [[0], [], [0, 1], [], [], [0], [3, 0]]
    probabilities = np.array([[i in round for i in range(4)] for round in schedule], dtype=float)
    for i, settled in enumerate(mean_intervals(probabilities, K)):
        records = recorded(np.tile(probabilities[:, i], 12 * 400), K)
        assert settled == pytest.approx(np.mean(records or [1]), rel=1e-3)


@pytest.mark.parametrize("K", [2, 5, 13, None])
def test_weights_settle_where_chances_change_with_the_round(K: int | None) -> None:
    rng = np.random.default_rng(2)
    q = rng.uniform(0, 0.6, (5, 3))
    q[3, 1] = 0.0
    came = rng.random((10_000, 5, 3)).reshape(-1, 3) < np.tile(q, (10_000, 1))
    for i in range(3):
        records = recorded(came[:, i], K)
        error = 5 * np.std(records) / np.sqrt(len(records))
        assert abs(mean_intervals(q, K)[i] - np.mean(records)) < error


@pytest.mark.parametrize("K", [None, 3])
def test_a_cutoff_leaves_the_bias_that_theory_says(K: int | None) -> None:
    q = np.array([0.8, 0.3, 0.5, 0.2])
    w = np.ones(4) if K is None else 1 - (1 - q) ** K
    some = run("fedau", participation={"kind": "bernoulli", "probabilities": q.tolist()}, local_steps=1,
               options={"cutoff": K})  # fmt: skip
    surrogate = Quadratic(H, E, weights=w / w.sum()).centre
    np.testing.assert_allclose(fixed_point(some).points[0], surrogate, atol=1e-11)


def test_a_client_that_may_be_drawn_twice_has_one_interval() -> None:
    draws = {"kind": "with_replacement", "count": 3}
    some = run("fedau", weights=[0.5, 0.25, 0.2, 0.05], participation=draws, rounds=400, seed=1)
    *_, last = states(some, 100)
    presence = some.participation.distribution(0).inclusion_probabilities
    settled = some.algorithm.limit_of_counters(last, presence[None])["omega"][0].numpy()
    np.testing.assert_allclose(last["omega"].mean(dim=0).numpy(), settled, rtol=0.05)
    counted = some.participation.distribution(0).enumerate()
    came = sum((probability @ (counts > 0) for probability, counts in counted), np.zeros(4))
    np.testing.assert_allclose(presence, came, rtol=1e-12)


@pytest.mark.parametrize("cutoff", [0, -1, 2.5, True, "many", float("inf")])
def test_options_are_checked(cutoff: Any) -> None:
    with pytest.raises(BoundkitError, match="cutoff of fedau must be a whole number, at least 1, or null"):
        algorithm("fedau", {"cutoff": cutoff})
