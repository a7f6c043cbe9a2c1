"""Every estimate on problems whose constants are known; the variance of mini-batch gradients."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import boundkit as bk
from boundkit.simulation.problems import Exponential, Network
from boundkit.simulation.selection import Strategy, skew_along
from boundkit.verification.estimate import ESTIMATES, estimate
from boundkit.verification.estimate.measurement import envelope, without_one
from boundkit.verification.estimate.noise import variances
from tests.verification.estimate.small import hessians, least_squares, perceptron, softmax

LINE = bk.Quadratic([1.0, 1.0, 4.0], [[-1.0], [0.2], [2.0]])
POINTS = np.linspace(-2.0, 3.0, 12)[:, None]


def test_dissimilarities_by_hand() -> None:
    problem = perceptron()
    points = np.stack([problem.initial_point({"seed": s}) for s in range(6)])
    g = problem.client_gradients(points)
    mean = np.einsum("i,pid->pd", problem.p, g)
    apart = ((g - mean[:, None]) ** 2).sum(-1)
    found = estimate(problem, points, names=["sigma_g", "sigma_g_worst", "beta", "kappa"])
    assert found["sigma_g"].value ** 2 == pytest.approx((apart @ problem.p).max())
    assert found["sigma_g_worst"].value ** 2 == pytest.approx(apart.max())
    beta, kappa = found["beta"].value, found["kappa"].value
    moment = (g**2).sum(-1) @ problem.p
    above = beta**2 * (mean**2).sum(-1) + kappa**2 - moment
    assert beta >= 1
    assert above.min() >= -1e-12
    assert np.sort(above)[0] == pytest.approx(0.0, abs=1e-9)  # it touches
    assert beta**2 + kappa**2 > 1
    assert found["kappa"].low <= kappa <= found["kappa"].high


def test_the_lowest_line_above_points() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(0, 2, 9), rng.uniform(0, 2, 9)
        least = float(rng.uniform(0, 1))
        line = envelope(x, y, least)
        assert line.slope >= least
        assert line.intercept >= 0
        assert (line.intercept + line.slope * x >= y - 1e-12).all()
        height = line.intercept + line.slope * x.mean()
        for slope in rng.uniform(least, 4, 200):  # no other line above all points is lower in their mean
            other = max((y - slope * x).max(), 0.0)
            assert other + slope * x.mean() >= height - 1e-12
        assert any(one == line for one in without_one(x, y, least))


def test_relaxed_smoothness_of_a_hyperbolic_cosine() -> None:
    """F = cosh x - 1: F'' = sqrt(1 + F'^2), whose lowest line above goes through the ends of the points."""
    x = np.linspace(0.0, 3.0, 5)
    found = estimate(Exponential([[0.0], [0.0]], L0=1.0, L1=1.0), x[:, None], names=["L0", "L1"])
    slope = (np.cosh(3.0) - 1) / np.sinh(3.0)
    assert found["L1"].value == pytest.approx(slope)
    assert found["L0"].value == pytest.approx(1.0)


def test_curvature_against_gradients_of_a_network() -> None:
    problem = perceptron()
    points = np.stack([s * problem.initial_point({"seed": 1}) for s in (0.5, 1.0, 2.0, 3.0)])
    found = estimate(problem, points, names=["L0", "L1"])
    norms = [
        np.abs(np.linalg.eigvalsh(np.tensordot(problem.p, hessians(problem, w), 1))).max() for w in points
    ]
    g = np.linalg.norm(np.einsum("i,pid->pd", problem.p, problem.client_gradients(points)), axis=1)
    above = found["L0"].value + found["L1"].value * g - np.array(norms)
    assert above.min() == pytest.approx(0.0, abs=5e-3 * max(norms))
    assert "least squares" in found["L1"].how


def test_least_losses_of_a_quadratic_in_disguise() -> None:
    problem = least_squares()
    found = estimate(problem, np.zeros(problem.d), names=["gap", "Gamma", "sigma_star"])
    own, each = [], []
    for i in range(problem.m):
        a, b = problem.federation.offsets[i], problem.federation.offsets[i + 1]
        X, y = problem.federation.X[a:b], problem.federation.y[a:b]
        w = np.linalg.lstsq(X, y, rcond=None)[0]
        own.append(((X @ w - y) ** 2).mean() / 2)
        each.append((X, y))
    root = np.sqrt(np.repeat(problem.p / problem.federation.sizes, problem.federation.sizes))
    X, y = problem.federation.X, problem.federation.y
    best = np.linalg.lstsq(root[:, None] * X, root * y, rcond=None)[0]
    least = float(((root * (X @ best - y)) ** 2).sum() / 2)
    start = float(((root * y) ** 2).sum() / 2)
    assert found["gap"].value == pytest.approx(start - least, rel=1e-6)
    assert found["gap"].high == pytest.approx(start)
    assert found["Gamma"].value == pytest.approx(least - problem.p @ own, rel=1e-6)
    assert found["Gamma"].low <= found["Gamma"].value <= found["Gamma"].high
    g = problem.client_gradients(best[None])[0]
    assert found["sigma_star"].value == pytest.approx((problem.p @ (g**2).sum(axis=1)) ** 0.5, rel=1e-5)


def test_the_penalty_of_a_softmax_regression_closes_the_bracket() -> None:
    problem = softmax(l2=0.5)
    found = estimate(problem, np.zeros(problem.d), names=["Gamma", "gap"])
    assert found["gap"].high - found["gap"].low < 1e-6
    assert found["Gamma"].low > 0
    assert found["Gamma"].high - found["Gamma"].low < 1e-5


def test_the_skew_of_a_selection_is_that_of_the_exact_room() -> None:
    who = {"kind": "power_of_choice", "count": 1, "d": 2}
    found = estimate(LINE, POINTS, names=["rho_bar", "rho_tilde"], participation=who)
    exact = skew_along(LINE, Strategy(1, 2), POINTS, np.r_[POINTS[1:], POINTS[-1:]][:, None])
    assert found["rho_bar"].value == pytest.approx(exact.rho_bar)
    assert found["rho_tilde"].value == pytest.approx(exact.rho_tilde)


def test_all_that_makes_sense_is_told() -> None:
    problem = softmax(batch=2)
    seen = bk.simulate("fedavg", problem, rounds=4, eta=0.01, local_steps=2, replicas=2)
    found = estimate(problem, seen)
    assert set(found) == set(ESTIMATES) - {"rho_bar", "rho_tilde"}
    for measured in found.values():
        assert measured.low <= measured.value <= measured.high
        assert measured.constant().trust == "estimated"
        assert measured.how
        assert measured.where
    assert seen.path is not None
    assert set(estimate(problem, seen.path[0])) == set(found) - {"L_secant"}


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


def test_problems_without_batches_have_the_noise_that_was_asked_for() -> None:
    line = bk.Quadratic([1.0, 2.0], [[0.0], [1.0]], noise=0.7)
    assert estimate(line, np.zeros(1), names=["sigma"])["sigma"].value == pytest.approx(0.7)
