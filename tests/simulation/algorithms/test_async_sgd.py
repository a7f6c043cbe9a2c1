"""Asynchronous SGD: rate of convergence and staleness."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.algorithms.async_sgd import AsyncSGD
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run

BOWL = Quadratic([1.0, 1.0], [[0.0], [0.0]])
SETTING: dict[str, Any] = {"rounds": 12, "eta": 0.2, "x0": [1.0]}
NAME = "async_sgd"


@pytest.mark.parametrize("late", [0, 1, 4])
def test_it_converges_to_the_optimum_at_the_rate_of_its_delay(late: int) -> None:
    run = make_run(NAME, BOWL, options={"delays": late}, **SETTING)
    limit = fixed_point(run)
    # z^(d+1) = z^d - eta h
    roots = np.roots([1, -1, *[0] * (late - 1), 0.2] if late else [1, -0.8])
    assert limit.spectral_radius == pytest.approx(np.abs(roots).max(), rel=1e-9)
    assert limit.points == pytest.approx(0, abs=1e-12)


def test_its_staleness_is_the_longest_delay() -> None:
    for delays, longest in ((0, 0), (3, 3), ([1, 4, 0], 4), ([[0, 7], 2], 7)):
        late = algorithm(NAME, {"delays": delays})
        assert isinstance(late, AsyncSGD)
        assert late.staleness == longest
