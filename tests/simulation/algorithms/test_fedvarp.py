"""FedVARP and ClusterFedVARP: reductions, by hand, and the floor that they remove."""

from typing import Any

import numpy as np
import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Received, Round, algorithm
from boundkit.simulation.engines import trajectory
from tests.simulation.algorithms.rounds import GAPS, line, run

MEAN = {"aggregation": "mean"}


def x_of(name: str, **settings: Any) -> Any:
    return trajectory(run(name, **settings), "step").x


def test_with_all_clients_it_is_fedavg() -> None:
    np.testing.assert_allclose(
        x_of("fedvarp", eta_s=0.7), x_of("fedavg", eta_s=0.7, options=MEAN), rtol=1e-12
    )


def test_one_cluster_is_fedavg_whoever_comes() -> None:
    one = x_of("clusterfedvarp", schedule=GAPS, options={"clusters": [[2, 0, 3, 1]]})
    np.testing.assert_allclose(one, x_of("fedavg", schedule=GAPS, options=MEAN), rtol=1e-12)


@pytest.mark.parametrize("clusters", [None, [[0], [1], [2], [3]], [[2], [0], [3], [1]]])
def test_a_cluster_each_is_fedvarp(clusters: Any) -> None:
    x = x_of("clusterfedvarp", schedule=GAPS, options={"clusters": clusters})
    np.testing.assert_allclose(x, x_of("fedvarp", schedule=GAPS), rtol=1e-13)


def test_three_rounds_by_hand() -> None:
    # F_i = (x - u_i)^2/2, eta = 1/2, one step: Delta_i = (x - u_i)/2; C_0 = {0, 2}, C_1 = {1}
    three = run("clusterfedvarp", line(0.0, 4.0, -8.0), x0=[8.0], eta=0.5, rounds=3,
                schedule=[[0, 2], [1], [0]], options={"clusters": [[0, 2], [1]]})  # fmt: skip
    x = trajectory(three, "step").x.ravel()
    assert x[1] == 8.0 - (4.0 + 8.0) / 2
    y = [6.0, 0.0]
    assert x[2] == x[1] - ((x[1] - 4.0) / 2 - y[1] + (2 * y[0] + y[1]) / 3)
    y[1] = (x[1] - 4.0) / 2
    np.testing.assert_allclose(x[3], x[2] - (x[2] / 2 - y[0] + (2 * y[0] + y[1]) / 3), rtol=1e-14)


@pytest.mark.parametrize("clusters", [None, [[0, 3], [1, 2]]])
def test_a_client_drawn_twice_counts_twice(clusters: Any) -> None:
    varp = algorithm("fedvarp", {"clusters": clusters})
    rng = np.random.default_rng(0)
    updates, y = (
        torch.tensor(rng.normal(size=(1, 3, 2))),
        torch.tensor(rng.normal(size=(1, 2 if clusters else 4, 2))),
    )
    home = np.array([0, 1, 1, 0]) if clusters else np.arange(4)
    who, counts = np.array([0, 3, 1]), np.array([2, 1, 0])
    here = Round(0, 4, who, counts, np.ones(3, dtype=np.intp), torch.tensor(counts / 3), np.full(1, 0.1), 1.0)
    state = {"x": torch.zeros(1, 2, dtype=torch.float64), "y": y}
    after = varp.server_step(state, Received({"update": updates}, here))
    u, old = updates[0].numpy(), y[0].numpy()
    v = (2 * (u[0] - old[home[0]]) + u[1] - old[home[3]]) / 3 + old[home].mean(axis=0)
    np.testing.assert_allclose(after["x"][0], -v, rtol=1e-13)
    new = old.copy()
    new[home[0]] = (2 * u[0] + u[1]) / 3 if clusters else u[0]
    if not clusters:
        new[3] = u[1]
    np.testing.assert_allclose(after["y"][0], new, rtol=1e-13)


def test_sampling_leaves_no_floor_where_fedavg_keeps_one() -> None:
    settings: dict[str, Any] = {"participation": {"kind": "uniform", "C": 0.5}, "rounds": 300, "eta": 0.2,
                                "local_steps": 2}  # fmt: skip
    problem = line(0.0, 1.0, 5.0, -2.0)
    gaps = {name: trajectory(run(name, problem, **settings), "step").observed["loss_gap"][0, -1]
            for name in ("fedvarp", "fedavg")}  # fmt: skip
    assert gaps["fedvarp"] < 1e-20
    assert gaps["fedavg"] > 1e-3


@pytest.mark.parametrize("clusters", [
    [[0, 1], [2]], [[0, 1], [2, 2, 3]], [[0, 1], [], [2, 3]], [[0, 1], [2, 3, 4]], [0, 1, 2, 3], "0123",
    [["0", 1], [2, 3]], [[True, 0], [2, 3]], [], 4,
])  # fmt: skip
@pytest.mark.parametrize("name", ["fedvarp", "clusterfedvarp"])
def test_clusters_hold_each_client_once(name: str, clusters: Any) -> None:
    with pytest.raises(
        BoundkitError, match=f"clusters of {name} must be lists of clients .* 0 to 3 stands once"
    ):
        run(name, options={"clusters": clusters})
