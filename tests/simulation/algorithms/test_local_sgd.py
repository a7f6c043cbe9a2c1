"""Local SGD: FedAvg, watched at the mean of the local models."""

import numpy as np

from boundkit import simulate
from boundkit.simulation.problems import Quadratic


def test_the_virtual_average_is_observed_at_every_local_step() -> None:
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
