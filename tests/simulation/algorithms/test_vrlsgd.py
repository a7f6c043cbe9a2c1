"""VRL-SGD: what its corrections conserve decides where it rests."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.rounds import GAPS, E, H, line, run, states

P = [0.4, 0.1, 0.2, 0.3]
STEPS = [3, 1, 4, 2]


def some(divisor: str, **settings: Any) -> Any:
    common = {"x0": [4.0, -3.0], "local_steps": STEPS, "eta": 0.1, "options": {"divisor": divisor}}
    return run("vrlsgd", Quadratic(H, E, weights=P), **{**common, **settings})


def test_two_rounds_by_hand() -> None:
    # F = (x - 4)^2/2, (x + 4)^2/2 from 0, one and two steps of 1/2: y = 2 and -3, mean -1/2
    two = run("vrlsgd", line(4.0, -4.0), local_steps=[1, 2], eta=0.5, rounds=2)
    _start, first, second = states(two)
    assert first["x"].item() == -0.5
    D = [(-0.5 - 2.0) / 0.5, (-0.5 + 3.0) / 1.0]
    np.testing.assert_allclose(first["D"][0, :, 0], D)
    y = [-0.5 - 0.5 * (-4.5 - D[0]), -0.5]
    for _ in range(2):
        y[1] -= 0.5 * (y[1] + 4.0 - D[1])
    np.testing.assert_allclose(second["x"].item(), np.mean(y), rtol=1e-14)


@pytest.mark.parametrize("divisor", ["own", "mean"])
def test_what_is_conserved_stays_zero_at_any_server_step_whoever_comes(divisor: str) -> None:
    *_, last = states(some(divisor, schedule=GAPS, eta_s=0.6, rounds=20))
    steps = np.array(STEPS) if divisor == "own" else np.ones(4)
    D = last["D"][0].numpy()
    assert np.abs(D).max() > 0.1
    np.testing.assert_allclose((np.array(P) * steps) @ D, 0, atol=1e-13)


@pytest.mark.parametrize("eta", [0.05, 0.3])
@pytest.mark.parametrize("schedule", [[[0, 1, 2, 3]], GAPS])
def test_own_rests_at_the_optimum_weighed_by_steps(schedule: Any, eta: float) -> None:
    surrogate = Quadratic(H, E, weights=np.array(P) * STEPS / np.dot(P, STEPS))
    limit = fixed_point(some("own", schedule=schedule, eta=eta))
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(
        limit.points, np.broadcast_to(surrogate.centre, limit.points.shape), atol=1e-11
    )


def test_mean_rests_at_the_optimum_but_small_rates_make_it_unstable() -> None:
    steps = [1, 1, 1, 20]
    limit = fixed_point(some("mean", local_steps=steps, eta=0.3))
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(limit.points[0], Quadratic(H, E, weights=P).centre, atol=1e-11)
    assert fixed_point(some("mean", local_steps=steps, eta=0.03)).spectral_radius > 1
    assert fixed_point(some("own", local_steps=steps, eta=0.03)).spectral_radius < 1


def test_where_steps_are_equal_the_divisors_are_one() -> None:
    x = [trajectory(some(divisor, local_steps=3, schedule=GAPS), "step").x for divisor in ("own", "mean")]
    np.testing.assert_allclose(x[0], x[1], rtol=1e-13)


def test_an_empty_round_moves_nothing() -> None:
    gap = trajectory(some("mean", rounds=3, schedule=[[0, 2], [], [1, 2]]), "step").x
    none = trajectory(some("mean", rounds=2, schedule=[[0, 2], [1, 2]]), "step").x
    np.testing.assert_array_equal(gap[[0, 1, 3]], none)


def test_options_are_checked() -> None:
    with pytest.raises(BoundkitError, match="unknown divisor 'owns'; did you mean 'own'"):
        algorithm("vrlsgd", {"divisor": "owns"})
