"""SCAFFOLD and VRL-SGD: controls computed by hand, sums that are conserved, and fixed points."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.rounds import GAPS, E, H, run, states

WEIGHTS = [0.4, 0.1, 0.2, 0.3]
LOCAL_STEPS = [3, 1, 4, 2]
BOTH = pytest.mark.parametrize("variant", ["I", "II"])


@BOTH
def test_scaffold_stays_at_the_optimum_with_decreasing_step_sizes(variant: str) -> None:
    options = {"variant": variant, "initial_controls": "gradient"}
    x0 = Quadratic(H, E).centre
    there = run("scaffold", x0=x0, eta={"first": 0.3, "offset": 4.0}, schedule=GAPS, options=options)
    x = trajectory(there, "step").x
    np.testing.assert_allclose(x, np.broadcast_to(x0, x.shape), atol=1e-13)


def test_scaffold_controls_are_mean_gradients_at_decreasing_step_sizes() -> None:
    # gradients are constant, so that their mean over the steps is their value at any step sizes
    h, slopes = 1e-9, np.array([2.0, -5.0])
    linear = Quadratic([h] * 2, -slopes[:, None] / h)
    some = run("scaffold", linear, eta={"first": 0.1, "offset": 2.0}, local_steps=[2, 5], rounds=1, x0=[0.0])
    *_, last = states(some)
    np.testing.assert_allclose(last["controls"][0, :, 0], slopes, rtol=1e-6)


def vrlsgd(divisor: str, **settings: Any) -> Any:
    common = {"x0": [4.0, -3.0], "local_steps": LOCAL_STEPS, "eta": 0.1, "options": {"divisor": divisor}}
    return run("vrlsgd", Quadratic(H, E, weights=WEIGHTS), **{**common, **settings})


@pytest.mark.parametrize("divisor", ["own", "mean"])
def test_the_conserved_sum_stays_zero_at_any_server_step_and_participation(divisor: str) -> None:
    *_, last = states(vrlsgd(divisor, schedule=GAPS, eta_s=0.6, rounds=20))
    steps = np.array(LOCAL_STEPS) if divisor == "own" else np.ones(4)
    D = last["D"][0]
    assert np.abs(D).max() > 0.1
    np.testing.assert_allclose((np.array(WEIGHTS) * steps) @ D, 0, atol=1e-13)
