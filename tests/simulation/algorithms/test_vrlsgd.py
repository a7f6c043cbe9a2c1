"""VRL-SGD: what its corrections conserve decides where it rests."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.cases import each
from tests.simulation.algorithms.rounds import GAPS, E, H, run, states

P = [0.4, 0.1, 0.2, 0.3]
STEPS = [3, 1, 4, 2]


def some(divisor: str, **settings: Any) -> Any:
    common = {"x0": [4.0, -3.0], "local_steps": STEPS, "eta": 0.1, "options": {"divisor": divisor}}
    return run("vrlsgd", Quadratic(H, E, weights=P), **{**common, **settings})


@pytest.mark.parametrize("divisor", ["own", "mean"])
def test_the_conserved_sum_stays_zero_at_any_server_step_and_participation(divisor: str) -> None:
    *_, last = states(some(divisor, schedule=GAPS, eta_s=0.6, rounds=20))
    steps = np.array(STEPS) if divisor == "own" else np.ones(4)
    D = last["D"][0]
    assert np.abs(D).max() > 0.1
    np.testing.assert_allclose((np.array(P) * steps) @ D, 0, atol=1e-13)


@each("eta", [0.05, 0.3])
@each("schedule", [[[0, 1, 2, 3]], GAPS])
def test_divisor_own_converges_to_the_optimum_weighted_by_steps(schedule: Any, eta: float) -> None:
    surrogate = Quadratic(H, E, weights=np.array(P) * STEPS / np.dot(P, STEPS))
    limit = fixed_point(some("own", schedule=schedule, eta=eta))
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(
        limit.points, np.broadcast_to(surrogate.centre, limit.points.shape), atol=1e-11
    )


def test_divisor_mean_converges_to_the_optimum_but_is_unstable_at_small_steps() -> None:
    steps = [1, 1, 1, 20]
    limit = fixed_point(some("mean", local_steps=steps, eta=0.3))
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(limit.points[0], Quadratic(H, E, weights=P).centre, atol=1e-11)
    assert fixed_point(some("mean", local_steps=steps, eta=0.03)).spectral_radius > 1
    assert fixed_point(some("own", local_steps=steps, eta=0.03)).spectral_radius < 1
