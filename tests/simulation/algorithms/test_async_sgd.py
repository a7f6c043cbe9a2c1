"""Asynchronous SGD against recursions written out."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.async_sgd import AsyncSGD
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.algorithms.uneven import problem

BOWL = Quadratic([1.0, 1.0], [[0.0], [0.0]])
SETTING: dict[str, Any] = {"rounds": 12, "eta": 0.2, "x0": [1.0]}
NAME = "async_sgd"


@each(
    ("delays", "by_round"),
    [(1, [1]), (3, [3]), ([2, 0, 1], [2, 0, 1]), ([0, 7], [0, 7]), ([[3, 3], 0, [1, 1]], [3, 0, 1])],
)
def test_the_gradient_is_that_of_an_older_model(delays: Any, by_round: list[int]) -> None:
    x = [1.0]
    for t in range(12):
        x.append(x[t] - 0.2 * x[max(0, t - by_round[t % len(by_round)])])
    found = simulate(NAME, BOWL, options={"delays": delays}, **SETTING).x[:, 0]
    np.testing.assert_allclose(found, x, rtol=1e-13)


def test_clients_may_be_late_each_in_its_own_way() -> None:
    pair = Quadratic([1.0, 0.5], [[0.0], [4.0]], [0.25, 0.75])
    x = [1.0]
    for t in range(12):
        late = x[max(0, t - 3)]
        x.append(x[t] - 0.2 * (0.25 * x[t] + 0.75 * 0.5 * (late - 4.0)))
    found = simulate(NAME, pair, options={"delays": [[0, 3]]}, **SETTING).x[:, 0]
    np.testing.assert_allclose(found, x, rtol=1e-13)


def test_empty_rounds_make_models_older_and_turn_the_list() -> None:
    x = simulate(NAME, BOWL, schedule=[[0], [], [], [1]], options={"delays": [0, 5, 5, 2]},
                 **SETTING | {"rounds": 4}).x[:, 0]  # fmt: skip
    np.testing.assert_allclose(x, [1, 0.8, 0.8, 0.8, 0.8 - 0.2 * 0.8], rtol=1e-14)
    x = simulate(NAME, BOWL, schedule=[[0], [], [], [1]], options={"delays": 3}, **SETTING | {"rounds": 4}).x
    np.testing.assert_allclose(x[:, 0], [1, 0.8, 0.8, 0.8, 0.8 - 0.2 * 1], rtol=1e-14)


@pytest.mark.parametrize("late", [0, 1, 4])
def test_it_converges_to_the_optimum_at_the_rate_of_its_delay(late: int) -> None:
    run = make_run(NAME, BOWL, options={"delays": late}, **SETTING)
    limit = fixed_point(run)
    # z^(d+1) = z^d - eta h
    roots = np.roots([1, -1, *[0] * (late - 1), 0.2] if late else [1, -0.8])
    assert limit.spectral_radius == pytest.approx(np.abs(roots).max(), rel=1e-9)
    assert limit.points == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("delays", [2, [0, 3, 1], [[0, 1, 2, 3]]])
def test_expectations_are_exact(delays: Any) -> None:
    setting: dict[str, Any] = {"rounds": 12, "eta": 0.1, "x0": [3.0, -1.0], "options": {"delays": delays}}
    step = simulate(NAME, problem(), **setting)
    exact = simulate(NAME, problem(), engine="exact", **setting)
    np.testing.assert_allclose(exact.x, step.x, atol=1e-12)


def test_its_staleness_is_the_longest_delay() -> None:
    for delays, longest in ((0, 0), (3, 3), ([1, 4, 0], 4), ([[0, 7], 2], 7)):
        late = algorithm(NAME, {"delays": delays})
        assert isinstance(late, AsyncSGD)
        assert late.staleness == longest
