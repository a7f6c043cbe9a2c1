"""Local SGD: FedAvg, watched at the mean of the local models."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import STEPS, assert_each_runs_as_alone, problem


def test_it_is_fedavg() -> None:
    setting: dict[str, Any] = {"rounds": 6, "eta": 0.1, "eta_s": 0.7, "x0": [3.0, -1.0], "local_steps": STEPS}
    one, other = (simulate(name, problem(), **setting).x for name in ("local_sgd", "fedavg"))
    np.testing.assert_allclose(one, other, atol=1e-13)


def test_the_virtual_average_is_watched_after_every_local_step() -> None:
    # alike scalar clients without noise: the mean of the models runs plain gradient descent
    alike, tau, rounds = Quadratic([0.5] * 3, [[1.0]] * 3), 4, 5
    run = simulate("local_sgd", alike, rounds=rounds, eta=0.2, local_steps=tau, x0=[4.0])
    gradients = 0.5 * 3 * 0.9 ** np.arange(tau * rounds)
    np.testing.assert_allclose(
        run.observed["virtual_gradient_norm_squared"][0, :-1],
        (gradients**2).reshape(rounds, tau).mean(axis=1),
        rtol=1e-12,
    )


def test_the_virtual_average_weighs_as_the_server_does() -> None:
    pair = Quadratic([1.0, 1.0], [[0.0], [4.0]], [0.75, 0.25])
    run = simulate("local_sgd", pair, rounds=1, eta=0.5, local_steps=2, x0=[0.0])
    # y = 0, 0 and 0, 2: the means are 0 and 0.5, the gradient of F is x - 1
    np.testing.assert_allclose(
        run.observed["virtual_gradient_norm_squared"][0, 0], (1 + 0.25) / 2, rtol=1e-12
    )


def test_replicas_do_not_mind_each_other() -> None:
    assert_each_runs_as_alone("local_sgd")


def test_it_has_no_options() -> None:
    with pytest.raises(BoundkitError, match="unknown option of local_sgd 'momentum'"):
        algorithm("local_sgd", {"momentum": 0.5})
