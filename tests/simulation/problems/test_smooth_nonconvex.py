"""The smooth non-convex family: constants by brute force."""

import numpy as np
import pytest

from boundkit.simulation.problems import SmoothNonconvex


@pytest.fixture
def problem() -> SmoothNonconvex:
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.ones(4))
    e = rng.normal(size=(4, 2))
    return SmoothNonconvex(e - p @ e, p, noise=0.2)


def test_constants(problem: SmoothNonconvex) -> None:
    x0 = np.array([1.0, -2.0])
    found = problem.constants(x0)
    second = [(1 - t * t) / (1 + t * t) ** 2 for t in np.linspace(-10, 10, 20_001)]
    assert found["L"].value == pytest.approx(np.abs(second).max(), abs=1e-9)
    assert min(second) < 0
    assert problem.convexity()[0] is False
    assert found["sigma_g"].value ** 2 == pytest.approx(problem.p @ (problem.e**2).sum(1))
    assert found["gap"].value == pytest.approx(np.log(2) / 2 + np.log(5) / 2)
    assert found["distance"].value == pytest.approx(5**0.5)
    assert found["sigma"].value == 0.2
    assert "mu" not in found
    assert found["zeta"].value == pytest.approx(np.linalg.norm(problem.e, axis=1).max())
    assert found["rho_zeta"].value == 0
    assert "G_inf" not in found  # the noise has no bound
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    steepest = problem.client_gradients(corners)
    largest = np.linalg.norm(steepest, axis=2).max()
    assert found["G"].value ** 2 == pytest.approx(largest**2 + 0.04)
    assert problem.without_noise().constants(x0)["G_inf"].value == pytest.approx(np.abs(steepest).max())
