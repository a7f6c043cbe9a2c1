"""Overlap local SGD against closed forms."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.simulation.problems import Quadratic

NAME = "overlap_sgd"
SETTING: dict[str, Any] = {"rounds": 15, "eta": 0.1, "x0": [3.0, -1.0]}
E, P = np.array([[1.0, 0.0], [-2.0, 3.0], [0.0, 1.0]]), np.array([0.5, 0.3, 0.2])
ALIKE = Quadratic([0.5] * 3, E, P)
T = np.arange(16)[:, None]


@pytest.mark.parametrize("pull", [0.2, 0.6, 0.9])
def test_equal_curvatures_without_momentum_converge_by_one_factor(pull: float) -> None:
    # with the anchor at the mean, the mean keeps 1 - pull of what four steps do
    factor = 1 - (1 - pull) * (1 - (1 - 0.1 * 0.5) ** 4)
    x = simulate(NAME, ALIKE, local_steps=4, options={"pull": pull, "momentum": 0.0}, **SETTING)
    np.testing.assert_allclose(x.x, P @ E + factor**T * (SETTING["x0"] - P @ E), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(x.observed["anchor_loss"], x.observed["loss"], rtol=1e-12)


def test_the_mean_is_observed_at_local_steps() -> None:
    setting = SETTING | {"local_steps": 4, "options": {"momentum": 0.0}}
    x = simulate(NAME, Quadratic([0.5] * 3, E), **setting)
    inside = x.observed["virtual_gradient_norm_squared"][0, :-1]
    steps = (1 - 0.05) ** (
        2 * np.arange(4)
    )  # each local step brings the mean of the models nearer by 1 - eta h
    np.testing.assert_allclose(inside, x.observed["gradient_norm_squared"][0, :-1] * steps.mean(), rtol=1e-11)
