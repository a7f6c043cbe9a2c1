"""FedAdagrad and FedAdam at the limits of their adaptivity; the step size and the observables of FedExP."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import STEPS, problem

SETTING: dict[str, Any] = {"rounds": 6, "eta": 0.1, "x0": [3.0, -1.0]}


def run(name: str, options: dict[str, Any], **more: Any) -> Any:
    return simulate(name, problem(), options=options, **{"local_steps": STEPS} | SETTING | more).x


PAIR = Quadratic([1.0, 1.0], [[4.0, 0.0], [0.0, 0.0]], [0.75, 0.25])
"""From x_0 = 0 with eta = 0.5 and one step: D_1 = (-2, 0), D_2 = 0."""


def fedexp_step(**options: Any) -> Any:
    run = simulate("fedexp", PAIR, rounds=1, eta=0.5, options=options)
    return run.observed["server_step"][0, 0], run.x[1]


def test_a_step_of_fedexp_by_hand() -> None:
    squares, mean = 0.75 * 4, 1.5  # weighted by p
    for epsilon in (0.0, 0.1):
        taken, x = fedexp_step(epsilon=epsilon)
        assert taken == pytest.approx(max(1.0, squares / (2 * (mean**2 + epsilon))), rel=1e-14)
        np.testing.assert_allclose(x, [taken * mean, 0], rtol=1e-14)


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
