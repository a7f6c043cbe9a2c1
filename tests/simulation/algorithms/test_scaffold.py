"""SCAFFOLD: by hand, where controls cancel, and where it rests."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.cases import each
from tests.simulation.algorithms.rounds import GAPS, E, H, run, states

BOTH = pytest.mark.parametrize("variant", ["I", "II"])


@BOTH
@each("schedule", [[[0, 1, 2, 3]], GAPS])
def test_it_converges_to_the_optimum_for_any_local_steps_and_step_size(variant: str, schedule: Any) -> None:
    some = run("scaffold", schedule=schedule, eta=0.4, options={"variant": variant})
    limit = fixed_point(some)
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(
        limit.points, np.broadcast_to(some.problem.centre, limit.points.shape), atol=1e-11
    )


@BOTH
def test_it_stays_at_the_optimum_with_decreasing_step_sizes(variant: str) -> None:
    options = {"variant": variant, "initial_controls": "gradient"}
    x0 = Quadratic(H, E).centre
    there = run("scaffold", x0=x0, eta={"first": 0.3, "offset": 4.0}, schedule=GAPS, options=options)
    x = trajectory(there, "step").x
    np.testing.assert_allclose(x, np.broadcast_to(x0, x.shape), atol=1e-13)


def test_controls_are_mean_gradients_at_decreasing_step_sizes() -> None:
    # gradients are constant, so that their mean over the steps is their value at any step sizes
    h, slopes = 1e-9, np.array([2.0, -5.0])
    linear = Quadratic([h] * 2, -slopes[:, None] / h)
    some = run("scaffold", linear, eta={"first": 0.1, "offset": 2.0}, local_steps=[2, 5], rounds=1, x0=[0.0])
    *_, last = states(some)
    np.testing.assert_allclose(last["controls"][0, :, 0], slopes, rtol=1e-6)
