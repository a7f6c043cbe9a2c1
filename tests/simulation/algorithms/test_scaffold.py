"""SCAFFOLD: by hand, where controls cancel, and where it rests."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.rounds import GAPS, E, H, line, run, states

BOTH = pytest.mark.parametrize("variant", ["I", "II"])


@pytest.mark.parametrize(("variant", "control"), [("II", -3.0), ("I", -4.0)])
def test_two_rounds_by_hand(variant: str, control: float) -> None:
    # F_1 = (x - 4)^2/2: from 0 two steps of 1/2 lead to 2, then 3, with gradients -4 and -2
    one = run("scaffold", line(4.0, -4.0, weights=[0.25, 0.75]), local_steps=2, eta=0.5, rounds=2,
              schedule=[[0], [1]], options={"variant": variant})  # fmt: skip
    _start, first, second = states(one)
    assert first["x"].item() == 3.0
    np.testing.assert_allclose(first["controls"][0, :, 0], [control, 0.0])
    y = 3.0
    for _ in range(2):
        y -= 0.5 * ((y + 4.0) - 0.0 + 0.25 * control)
    np.testing.assert_allclose(second["x"].item(), y, rtol=1e-14)


@BOTH
def test_one_local_step_of_all_clients_is_fedavg(variant: str) -> None:
    problem = Quadratic(H, E, weights=[0.4, 0.1, 0.2, 0.3])
    same: dict[str, Any] = {"x0": [4.0, -3.0], "local_steps": 1, "eta_s": 0.8}
    scaffold = run("scaffold", problem, options={"variant": variant}, **same)
    expected = trajectory(run("fedavg", problem, **same), "step").x
    np.testing.assert_allclose(trajectory(scaffold, "step").x, expected, rtol=1e-12)


@BOTH
@pytest.mark.parametrize("schedule", [[[0, 1, 2, 3]], GAPS])
def test_it_rests_at_the_optimum_whatever_the_local_steps_and_the_rate(variant: str, schedule: Any) -> None:
    some = run("scaffold", schedule=schedule, eta=0.4, options={"variant": variant})
    limit = fixed_point(some)
    assert limit.spectral_radius < 1
    np.testing.assert_allclose(
        limit.points, np.broadcast_to(some.problem.centre, limit.points.shape), atol=1e-11
    )


@BOTH
def test_it_stays_at_the_optimum_where_rates_fall_inside_a_round(variant: str) -> None:
    options = {"variant": variant, "initial_controls": "gradient"}
    x0 = Quadratic(H, E).centre
    there = run("scaffold", x0=x0, eta={"first": 0.3, "offset": 4.0}, schedule=GAPS, options=options)
    x = trajectory(there, "step").x
    np.testing.assert_allclose(x, np.broadcast_to(x0, x.shape), atol=1e-13)


@BOTH
def test_an_empty_round_moves_nothing(variant: str) -> None:
    options = {"variant": variant}
    gap = trajectory(run("scaffold", rounds=3, schedule=[[0, 2], [], [1, 2]], options=options), "step").x
    none = trajectory(run("scaffold", rounds=2, schedule=[[0, 2], [1, 2]], options=options), "step").x
    np.testing.assert_array_equal(gap[[0, 1, 3]], none)
    np.testing.assert_array_equal(gap[1], gap[2])


@pytest.mark.parametrize("options", [{"variant": "III"}, {"variant": 2}, {"initial_controls": "one"}])
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(BoundkitError, match=f"unknown {next(iter(options))}"):
        algorithm("scaffold", options)
