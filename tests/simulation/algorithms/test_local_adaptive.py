"""Local adaptive solvers: what they leave wrong uncorrected, and what the corrections put right."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from boundkit import simulate
from boundkit.simulation.algorithms.local_adaptive import CORRECTIONS
from boundkit.simulation.problems import Quadratic

LINE = Quadratic([1.0, 2.0, 0.5], [[0.0], [1.0], [10.0]], [0.2, 0.45, 0.35])
"""Its median client, by p, has its minimum at 1."""


def moved(x: float, eta: float, steps: Any, options: dict[str, Any]) -> float:
    """By how much one round moves the model from x, on the line."""
    path = simulate("local_adaptive", LINE, rounds=1, eta=eta, local_steps=steps, x0=[x], options=options).x
    return float(path[1, 0] - path[0, 0])


def resting(eta: float, steps: Any, options: dict[str, Any]) -> float:
    """Where a round moves nothing."""
    return float(brentq(moved, 0.1, 9.9, args=(eta, steps, options), xtol=1e-12))


@pytest.mark.parametrize("solver", ["adagrad", "adam", "yogi"])
def test_a_corrected_bias_falls_with_eta_and_an_uncorrected_one_does_not(solver: str) -> None:
    at = float(LINE.centre[0])
    for correction in CORRECTIONS:
        options = {"solver": solver, "correction": correction, "beta1": 0.0}
        small, tiny = (abs(resting(eta, [4, 2, 6], options) - at) for eta in (2e-3, 1e-3))
        if correction == "none":
            assert min(small, tiny) > 0.5
        else:
            assert tiny < 0.05
            assert tiny / small == pytest.approx(0.5, rel=0.05)


def test_a_single_participant_of_weight_zero_leaves_the_model() -> None:
    pair = Quadratic([1.0, 1.0], [[1.0], [5.0]], [1.0, 0.0])
    x = simulate("local_adaptive", pair, rounds=2, eta=0.1, schedule=[[1], [0]]).x
    np.testing.assert_array_equal(x[1], x[0])
    assert x[2] > 0
