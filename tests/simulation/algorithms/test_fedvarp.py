"""FedVARP and ClusterFedVARP: a client that is sampled more than once."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import Received, Round, algorithm


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
