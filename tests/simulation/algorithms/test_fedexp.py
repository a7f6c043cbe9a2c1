"""FedExP: how far the server goes, and what is observed on the way."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import problem

PAIR = Quadratic([1.0, 1.0], [[4.0, 0.0], [0.0, 0.0]], [0.75, 0.25])
"""From x_0 = 0 with eta = 0.5 and one step: D_1 = (-2, 0), D_2 = 0."""


def step(**options: Any) -> Any:
    run = simulate("fedexp", PAIR, rounds=1, eta=0.5, options=options)
    return run.observed["server_step"][0, 0], run.x[1]


def test_a_step_by_hand() -> None:
    squares, mean = 0.75 * 4, 1.5  # weighted by p
    for epsilon in (0.0, 0.1):
        taken, x = step(epsilon=epsilon)
        assert taken == pytest.approx(max(1.0, squares / (2 * (mean**2 + epsilon))), rel=1e-14)
        np.testing.assert_allclose(x, [taken * mean, 0], rtol=1e-14)


def test_clients_that_cancel_make_the_step_long_and_epsilon_keeps_it_finite() -> None:
    opposite = Quadratic([1.0, 1.0], [[4.0], [-3.0]])
    for epsilon, often in ((0.01, 1), (0.01, 2)):
        run = simulate("fedexp", opposite, rounds=1, eta=0.5,
                       options={"epsilon": epsilon, "epsilon_times_clients": often == 2})  # fmt: skip
        expected = 0.5 * (4 + 2.25) / (2 * (0.25**2 + often * epsilon))
        np.testing.assert_allclose(run.observed["server_step"][0, 0], expected, rtol=1e-14)
        np.testing.assert_allclose(run.x[1], [0.25 * expected], rtol=1e-14)


def test_homogeneous_clients_make_it_fedavg() -> None:
    alike = Quadratic([[1.0, 0.5]] * 3, [[1.0, 2.0]] * 3)
    setting: dict[str, Any] = {"rounds": 9, "eta": 0.1, "eta_s": 0.7, "local_steps": 4}
    run = simulate("fedexp", alike, **setting)
    np.testing.assert_allclose(run.x, simulate("fedavg", alike, **setting).x, atol=1e-14)
    np.testing.assert_allclose(run.observed["server_step"], 0.7)


@pytest.mark.parametrize("e", [[[0.0], [0.0]], [[1.0], [-1.0]]])
def test_a_mean_update_of_zero_leaves_the_model(e: Any) -> None:
    run = simulate("fedexp", Quadratic([1.0, 1.0], e), rounds=3, eta=0.5, options={"epsilon": 0.0})
    assert run.outcome == "done"
    np.testing.assert_array_equal(run.x, 0)
    np.testing.assert_array_equal(run.observed["server_step"], 1)


def test_the_weighted_iterate_weighs_models_by_the_steps_that_left_them() -> None:
    run = simulate("fedexp", problem(), rounds=7, eta=0.1, x0=[0.1, 0.3], local_steps=3, eta_s=0.8,
                   schedule=[[0, 1, 2, 3], [], [1, 2], [0]], options={"epsilon": 1e-4})  # fmt: skip
    steps = run.observed["server_step"][0, :-1]
    np.testing.assert_array_equal(steps == 0, [False, True, False, False, False, True, False])
    assert (steps[steps > 0] >= 0.8).all()
    assert np.ptp(steps[steps > 0]) > 0.1
    for t in range(8):
        mean = run.x[0] if t == 0 else np.average(run.x[:t], axis=0, weights=steps[:t])
        gap = problem().observe(mean[None])["loss_gap"][0]
        np.testing.assert_allclose(run.observed["weighted_iterate_loss_gap"][0, t], gap, rtol=1e-10)


def test_a_round_is_not_affine() -> None:
    for engine in ("exact", "collapsed"):
        with pytest.raises(BoundkitError):
            simulate("fedexp", problem(), rounds=3, eta=0.1, engine=engine)
