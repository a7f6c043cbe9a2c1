"""Logistic regression: the generator's laws, constants by brute force, certificates of Newton's optimum."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from boundkit.simulation.problems import Logistic
from boundkit.simulation.problems.logistic import synthetic, synthetic_sizes


@pytest.fixture(scope="module")
def problem() -> Logistic:
    return Logistic(1.0, 0.5, 4, seed=3, l2=0.05, features=3, classes=3, sizes=[12, 30, 7, 20])


def test_sizes_have_the_published_distribution() -> None:
    """ln(n - 50) is about N(4, 2^2), but for the whole part; the smallest size is 50."""
    sizes = synthetic_sizes(20_000, seed=1)
    assert sizes.min() == 50
    assert np.median(sizes - 50) == pytest.approx(np.exp(4), rel=0.05)
    low, high = np.quantile(sizes - 50, [0.158655, 0.841345])
    assert low == pytest.approx(np.exp(2), abs=1)
    assert high == pytest.approx(np.exp(6), rel=0.06)


def test_features_and_labels_have_the_published_distributions() -> None:
    sizes = np.full(400, 60)
    data = synthetic(1.0, 2.0, sizes, seed=7, features=20, classes=4)
    means = np.stack([c.X[:, :-1].mean(axis=0) for c in data])
    assert all((c.X[:, -1] == 1).all() for c in data)
    # the mean of a client's feature: B_k + N(0, 1) + noise; B_k has the standard deviation 2
    own = np.arange(1, 21) ** -1.2 / 60
    assert means.mean(axis=1).std() == pytest.approx((4 + (1 + own.mean()) / 20) ** 0.5, rel=0.12)
    spread = (means - means.mean(axis=1, keepdims=True)).var(axis=1).mean()
    assert spread == pytest.approx((1 + own.mean()) * 19 / 20, rel=0.05)
    within = np.mean([c.X[:, :-1].var(axis=0, ddof=1) for c in data], axis=0)
    np.testing.assert_allclose(within, np.arange(1, 21) ** -1.2, rtol=0.05)
    # labels: the largest score of a client's own model, so a linear model separates them
    shares = np.stack([np.bincount(c.y, minlength=4) / 60 for c in data])
    assert shares.mean(axis=0) == pytest.approx([0.25] * 4, abs=0.06)
    assert shares.max(axis=1).mean() > 0.5  # heterogeneous clients: few labels each


def test_a_client_does_not_depend_on_the_others() -> None:
    one = synthetic(1, 1, np.array([9, 5]), seed=4)
    other = synthetic(1, 1, np.array([9, 50, 3]), seed=4)
    np.testing.assert_array_equal(one[0].X, other[0].X)
    np.testing.assert_array_equal(one[0].y, other[0].y)
    assert not np.array_equal(synthetic(1, 1, np.array([9]), seed=5)[0].X, one[0].X)


def test_losses_are_scipys_cross_entropy(problem: Logistic) -> None:
    x = np.random.default_rng(0).normal(size=(5, problem.d))
    data = synthetic(1.0, 0.5, np.array([12, 30, 7, 20]), 3, 3, 3)
    for k, client in enumerate(data):
        for r in range(5):
            scores = log_softmax(client.X @ x[r].reshape(4, 3), axis=1)
            wanted = -scores[np.arange(len(client.y)), client.y].mean() + 0.025 * float(x[r] @ x[r])
            assert problem.losses(x)[r, k] == pytest.approx(wanted, rel=1e-13)


def test_optimum_and_minima_against_another_method(problem: Logistic) -> None:
    assert problem.optimum is not None
    assert problem.minima is not None
    for weights, value in ((problem.p, problem.infimum.value), *zip(np.eye(4), problem.minima, strict=True)):

        def both(x: np.ndarray, w: np.ndarray = weights) -> tuple[float, np.ndarray]:
            return float(problem.losses(x) @ w), problem.client_gradients(x).T @ w

        found = minimize(both, np.zeros(problem.d), jac=True, method="L-BFGS-B",
                         options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000})  # fmt: skip
        assert value <= found.fun + 1e-13
        assert value == pytest.approx(found.fun, abs=1e-10)
    gradient = problem.p @ problem.client_gradients(problem.optimum)
    assert np.linalg.norm(gradient) < 1e-12
    told = problem.constants(np.zeros(problem.d))
    assert told["gap"].trust == told["distance"].trust == "estimated"
    assert "to within" in told["gap"].how
    assert told["distance"].value == pytest.approx(np.linalg.norm(problem.optimum))


def test_the_bound_on_smoothness_is_attained() -> None:
    """Two classes at equal scores have q = 1/2, where diag(q) - q q' has the eigenvalue 1/2: met exactly."""
    problem = Logistic(0.5, 1, 3, l2=0.1, features=3, classes=2, sizes=[8, 20, 5])
    h = 1e-5
    zero = np.zeros((1, problem.d))
    columns = [
        (problem.client_gradients(zero + h * u) - problem.client_gradients(zero - h * u))[0] / (2 * h)
        for u in np.eye(problem.d)
    ]
    largest = np.linalg.eigvalsh(np.stack(columns, axis=-1))[:, -1]
    found = problem.constants(zero[0])
    assert found["L"].value == pytest.approx(largest.max(), rel=1e-7)
    assert (found["mu"].value, found["mu"].trust) == (0.1, "exact")
