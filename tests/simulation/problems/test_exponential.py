"""Hyperbolic cosines: every formula of the docstring against brute force."""

import numpy as np
import pytest

from boundkit.simulation.problems import Exponential


@pytest.fixture
def problem() -> Exponential:
    rng = np.random.default_rng(3)
    return Exponential(
        rng.normal(size=(4, 1)), 1.7, 0.8, [1.0, 2.0, 0.5, 1.0], rng.dirichlet(np.ones(4)), 0.3
    )


X = np.linspace(-30, 30, 400_001)[:, None]


def test_the_mean_is_a_cosine(problem: Exponential) -> None:
    amplitude = problem.L0 / problem.L1**2
    direct = sum(
        p * s * amplitude * (np.cosh(problem.L1 * (X[:, 0] - e)) - 1)
        for p, s, e in zip(problem.p, problem.s, problem.e[:, 0], strict=True)
    )
    seen = problem.observe(X)
    np.testing.assert_allclose(seen["loss"], direct, rtol=1e-12)
    np.testing.assert_allclose(seen["loss_gap"], direct - direct.min(), rtol=1e-6, atol=1e-8)
    assert problem.optimum is not None
    assert problem.optimum[0] == pytest.approx(X[np.argmin(direct), 0], abs=2e-4)
    assert problem.infimum.value == pytest.approx(direct.min(), rel=1e-8)
    gradient = np.sqrt(problem.observe(problem.centre)["gradient_norm_squared"])
    assert gradient < 1e-14


def test_constants_are_attained_and_never_exceeded(problem: Exponential) -> None:
    x0 = np.array([2.5])
    found = problem.constants(x0)
    first = problem.client_gradients(X)[:, :, 0]
    first = np.concatenate([first, (first @ problem.p)[:, None]], axis=1)
    second = (problem.client_gradients(X + 1e-6) - problem.client_gradients(X - 1e-6))[:, :, 0] / 2e-6
    second = np.concatenate([second, (second @ problem.p)[:, None]], axis=1)
    relaxed = np.abs(second) - problem.L1 * np.abs(first)
    near = np.abs(X[:, 0]) < 8  # beyond, the differences of large numbers have no digits left
    assert found["L0"].value == pytest.approx(relaxed[near].max(), rel=1e-4)
    assert found["mu"].value == pytest.approx(second[near, :4].min(), rel=1e-6)
    apart, mean = np.abs(first[:, :4] - first[:, 4:]).max(axis=1), np.abs(first[:, 4])
    zeta, rho = found["zeta"].value, found["rho_zeta"].value
    assert (apart <= (zeta + rho * mean) * (1 + 1e-12)).all()
    assert apart[np.argmin(mean)] == pytest.approx(zeta, rel=1e-3)  # no smaller zeta ...
    assert max(apart[0] / mean[0], apart[-1] / mean[-1]) == pytest.approx(rho, rel=1e-6)  # ... nor rho
    low = problem.observe(X)["loss"] <= problem.observe(x0)["loss"]
    assert found["grad_max"].value == pytest.approx(mean[low].max(), rel=1e-3)
    assert found["L"].value == pytest.approx(second[low, :4].max(), rel=1e-3)
    assert found["L"].trust == "local"
    assert {c.trust for n, c in found.items() if n != "L"} == {"exact"}


def test_distant_clients_have_an_accurate_optimum() -> None:
    problem = Exponential([[-100.0], [100.0]], weights=[0.25, 0.75])
    assert problem.optimum is not None
    assert problem.optimum[0] == pytest.approx(np.log(3) / 2)
    assert problem.heterogeneity is not None
    assert problem.heterogeneity.value == pytest.approx(problem.observe(problem.optimum)["loss"])
