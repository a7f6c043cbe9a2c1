"""FedVARP and ClusterFedVARP: reductions, by hand, and the floor that they remove."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import Received, Round, algorithm
from boundkit.simulation.engines import trajectory
from tests.simulation.algorithms.rounds import line, run

MEAN = {"aggregation": "mean"}


@pytest.mark.parametrize("clusters", [None, [[0, 3], [1, 2]]])
def test_a_client_drawn_twice_counts_twice(clusters: Any) -> None:
    varp = algorithm("fedvarp", {"clusters": clusters})
    rng = np.random.default_rng(0)
    updates, y = rng.normal(size=(1, 3, 2)), rng.normal(size=(1, 2 if clusters else 4, 2))
    home = np.array([0, 1, 1, 0]) if clusters else np.arange(4)
    who, counts = np.array([0, 3, 1]), np.array([2, 1, 0])
    here = Round(0, 4, who, counts, np.ones(3, dtype=np.intp), counts / 3, np.full(1, 0.1), 1.0)
    state = {"x": np.zeros((1, 2)), "y": y}
    after = varp.server_step(state, Received({"update": updates}, here))
    u, old = updates[0], y[0]
    v = (2 * (u[0] - old[home[0]]) + u[1] - old[home[3]]) / 3 + old[home].mean(axis=0)
    np.testing.assert_allclose(after["x"][0], -v, rtol=1e-13)
    new = old.copy()
    new[home[0]] = (2 * u[0] + u[1]) / 3 if clusters else u[0]
    if not clusters:
        new[3] = u[1]
    np.testing.assert_allclose(after["y"][0], new, rtol=1e-13)


def test_sampling_leaves_no_error_floor_unlike_fedavg() -> None:
    settings: dict[str, Any] = {"participation": {"kind": "uniform", "C": 0.5}, "rounds": 300, "eta": 0.2,
                                "local_steps": 2}  # fmt: skip
    problem = line(0.0, 1.0, 5.0, -2.0)
    gaps = {name: trajectory(run(name, problem, **settings), "step").observed["loss_gap"][0, -1]
            for name in ("fedvarp", "fedavg")}  # fmt: skip
    assert gaps["fedvarp"] < 1e-20
    assert gaps["fedavg"] > 1e-3
