"""MIFA: the wait, the memory, and no bias of availability."""

from typing import Any

import numpy as np

from boundkit.simulation.engines import trajectory
from tests.simulation.algorithms.rounds import line, run, states


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


def test_the_memory_is_scaled_by_the_rate_of_now() -> None:
    settings: dict[str, Any] = {"eta": {"first": 0.5, "offset": 1.0}, "schedule": [[0, 1], []]}
    x = trajectory(run("mifa", line(4.0, -2.0), rounds=2, options={"wait": False}, **settings), "step").x
    np.testing.assert_allclose(x.ravel(), [0.0, 0.5 * 1.0, 0.5 + 0.25 * 1.0], rtol=1e-14)
