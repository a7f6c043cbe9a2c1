"""FedProx: by gradient steps and exactly."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from tests.simulation.algorithms.uneven import problem

ENGINES = ["step", "collapsed", "exact"]
SETTING: dict[str, Any] = {"rounds": 8, "eta": 0.1, "x0": [3.0, -1.0]}


def run(options: dict[str, Any], engine: str = "step", steps: Any = 1, **more: Any) -> Any:
    return simulate(
        "fedprox", problem(), engine=engine, local_steps=steps, options=options, **SETTING | more
    ).x


@pytest.mark.parametrize("engine", ENGINES)
def test_the_exact_minimiser_is_what_many_steps_tend_to(engine: str) -> None:
    exact = run({"mu": 0.8, "exact": True}, engine)
    np.testing.assert_allclose(run({"mu": 0.8}, "step", 400), exact, atol=1e-12)


def test_inexact_minimisers_leave_that_share_of_the_gradient() -> None:
    mu, gamma = 0.8, 0.3
    alone = Quadratic([[[1.0, 0.25], [0.25, 0.75]]], [[1.0, -2.0]])
    x, y = simulate("fedprox", alone, rounds=1, eta=0.1, x0=[3.0, 1.0],
                    options={"mu": mu, "exact": True, "gamma": gamma}).x  # fmt: skip
    H, e = alone.H[0], alone.e[0]
    at_start, left = H @ (x - e), H @ (y - e) + mu * (y - x)
    np.testing.assert_allclose(np.linalg.norm(left), gamma * np.linalg.norm(at_start), rtol=1e-12)


def test_a_pull_too_weak_for_a_minimum_is_refused() -> None:
    bent = Quadratic([-1.0, 3.0], [[0.0], [1.0]])
    with pytest.raises(BoundkitError, match="too small for a proximal minimum"):
        simulate("fedprox", bent, rounds=1, eta=0.1, options={"mu": 0.5, "exact": True})
