"""The variance of mini-batch gradients against a loop over points, and against batches that are drawn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import boundkit as bk
from boundkit.simulation.problems import Network
from boundkit.verification.estimate import estimate
from boundkit.verification.estimate.noise import variances
from tests.verification.estimate.small import least_squares, perceptron


def _gradients(problem: Network, w: np.ndarray, i: int) -> np.ndarray:
    a, b = problem.federation.offsets[i], problem.federation.offsets[i + 1]
    rows = [problem.batch_gradient(w[None], np.array([[j]]))[0] for j in range(a, b)]
    return np.stack(rows)


def test_variances_are_those_of_a_loop_over_points() -> None:
    problem = perceptron(batch=2, l2=0.2)
    w = problem.initial_point({"seed": 2})
    by_hand = [_gradients(problem, w, i).var(axis=0).sum() for i in range(problem.m)]
    assert variances(problem, w) == pytest.approx(by_hand, rel=1e-10)
    found = estimate(problem, w, names=["sigma", "sigma_average"])
    assert found["sigma"].value == pytest.approx((max(by_hand) / 2) ** 0.5)
    assert found["sigma_average"].value == pytest.approx((problem.p @ by_hand / 2) ** 0.5)
    assert "client" in found["sigma"].how
    assert found["sigma"].where == "x_0"


def test_a_shuffled_batch_has_the_variance_of_a_finite_population() -> None:
    problem = least_squares(batch=3, order="shuffled")
    w = problem.initial_point({"seed": 0})
    worst = 0.0
    for i in range(problem.m):
        g = _gradients(problem, w, i)
        size = len(g) % 3 or 3  # of the last batch of a pass
        means = np.array([g[list(some)].mean(axis=0) for some in combinations(range(len(g)), size)])
        worst = max(worst, float(((means - g.mean(axis=0)) ** 2).sum(axis=1).mean()))
    assert estimate(problem, w, names=["sigma"])["sigma"].value == pytest.approx(worst**0.5)


def test_a_batch_of_all_points_is_exact_where_it_is_shuffled() -> None:
    problem = least_squares(batch=100, order="shuffled")
    assert estimate(problem, problem.initial_point(None), names=["sigma"])["sigma"].value == 0.0


def test_problems_without_batches_have_the_noise_that_was_asked_for() -> None:
    line = bk.Quadratic([1.0, 2.0], [[0.0], [1.0]], noise=0.7)
    assert estimate(line, np.zeros(1), names=["sigma"])["sigma"].value == pytest.approx(0.7)
