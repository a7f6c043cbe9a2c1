"""MIFA: the wait, the memory, and no bias of availability."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from tests.simulation.algorithms.rounds import GAPS, line, run, states


def test_waiting_by_hand() -> None:
    # F = (x - 4)^2/2, (x + 2)^2/2, eta = 1/2, from 0: G = 4, -2 for one step
    two = run("mifa", line(4.0, -2.0), eta=0.5, rounds=5, eta_s=0.5, schedule=[[0], [], [1], [], [0]])
    before = list(states(two))
    assert [s["x"].item() for s in before[:4]] == [0.0] * 4
    assert before[2]["participated"].tolist() == [[True, False]]
    assert before[3]["G"][0, :, 0].tolist() == [4.0, -2.0]
    assert before[4]["x"].item() == 0.5 * 0.5 * (4.0 - 2.0) / 2  # an empty round steps with the memory
    result = trajectory(two, "step")
    fourth = 0.25 + 0.25 * (3.75 - 2.0) / 2
    np.testing.assert_allclose(result.x.ravel(), [0.0, 0.25, fourth], rtol=1e-14)
    assert result.outcome == "done"


def test_in_the_filling_round_all_work_though_they_did_not_come() -> None:
    # client 0 comes in round 0, with one step, and not in round 1, with two: G_0 = 4 + 2 of the second
    two = run("mifa", line(4.0, -2.0), eta=0.5, rounds=2, local_steps=[[1, 1], [2, 2]], schedule=[[0], [1]])
    *_, last = states(two)
    np.testing.assert_allclose(last["G"][0, :, 0], [4.0 + 2.0, -2.0 - 1.0])


def test_without_all_clients_it_never_begins() -> None:
    waits = trajectory(run("mifa", schedule=[[0, 1, 2]]), "step")
    assert waits.outcome == "waiting"
    assert waits.x.shape == (1, 2)


def test_replicas_begin_when_they_begin() -> None:
    random = run("mifa", participation={"kind": "bernoulli", "probabilities": 0.3}, rounds=40, seed=5)
    first = [next(t for t, s in enumerate(states(random, 6)) if s["participated"][r].all()) for r in range(6)]
    assert len(set(first)) > 1
    result = trajectory(random, "step", replicas=6)
    loss = result.observed["loss"]
    assert loss.shape == (6, 41 - max(first))
    np.testing.assert_allclose(loss[:, 0], loss[0, 0])
    assert (loss[:, 1] != loss[:, 0]).all()


@pytest.mark.parametrize("wait", [True, False])
def test_with_all_clients_it_is_fedavg(wait: bool) -> None:
    x = trajectory(run("mifa", options={"wait": wait}, rounds=12 + wait), "step").x
    expected = trajectory(run("fedavg", options={"aggregation": "mean"}), "step").x
    np.testing.assert_allclose(x, expected, rtol=1e-12)


def test_the_memory_is_scaled_by_the_rate_of_now() -> None:
    settings: dict[str, Any] = {"eta": {"first": 0.5, "offset": 1.0}, "schedule": [[0, 1], []]}
    x = trajectory(run("mifa", line(4.0, -2.0), rounds=2, options={"wait": False}, **settings), "step").x
    np.testing.assert_allclose(x.ravel(), [0.0, 0.5 * 1.0, 0.5 + 0.25 * 1.0], rtol=1e-14)


@pytest.mark.parametrize("wait", [True, False])
def test_it_rests_where_fedavg_with_all_clients_does_whoever_comes(wait: bool) -> None:
    full = fixed_point(run("fedavg", options={"aggregation": "mean"})).points[0]
    limit = fixed_point(run("mifa", schedule=GAPS, options={"wait": wait}))
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(limit.points, np.broadcast_to(full, limit.points.shape), atol=1e-11)


def test_and_where_who_comes_is_random() -> None:
    full = fixed_point(run("fedavg", options={"aggregation": "mean"})).points[0]
    some = {"kind": "bernoulli", "probabilities": [0.8, 0.3, 0.5, 0.2]}
    np.testing.assert_allclose(fixed_point(run("mifa", participation=some)).points[0], full, atol=1e-11)


@pytest.mark.parametrize("wait", [1, "yes", None])
def test_options_are_checked(wait: Any) -> None:
    with pytest.raises(BoundkitError, match="wait of mifa must be true or false"):
        algorithm("mifa", {"wait": wait})
