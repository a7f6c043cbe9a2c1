"""Floors under sampling and noise against closed forms, and against moments of exchangeable clients."""

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.simulation.engines import ExactStateEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.studies.demonstrations.error_floors import error_floors
from boundkit.studies.demonstrations.stationary_variance import stationary_variance
from tests.cases import each

Array = NDArray[np.float64]


@each(("m", "n", "tau"), [(4, 1, 1), (5, 4, 9), (7, 3, 30)])
def test_the_floors_do_not_depend_on_the_numbers_of_the_page(m: int, n: int, tau: int) -> None:
    seen = error_floors((0.02,), m=m, n=n, tau=tau, rounds=2, seed=m)
    np.testing.assert_allclose(seen.floors["fedavg"], seen.formula, rtol=1e-12)
    assert seen.floors["fedvarp"] < 1e-25
    assert seen.floors["scaffold"] < 1e-25


def test_unlike_hessians_leave_fedvarp_the_drift_and_no_variance() -> None:
    problem = Quadratic.random(4, 2, 3, dense=True, curvature=(0.2, 1.0))
    run = make_run("fedvarp", problem, rounds=1, eta=0.05, local_steps=8,
                   participation={"kind": "uniform", "C": 0.5})  # fmt: skip
    engine = ExactStateEngine(run)
    mean, cov = engine.stationary_moments()
    drift = float(((mean[:2] - problem.centre) ** 2).sum())
    assert engine.stationary()["distance_squared"] == pytest.approx(drift, rel=1e-12)
    assert drift > 1e-4
    assert np.abs(cov).max() < 1e-25


@each(("m", "tau", "eta", "eta_s"), [(4, 1, 0.2, 0.6), (5, 20, 0.02, 1.4)])
@each("name", ["fedvarp", "scaffold"])
def test_memories_go_on_at_the_moments_of_exchangeable_clients(
    name: str, m: int, tau: int, eta: float, eta_s: float
) -> None:
    coming = tuple(range(1, m + 1))
    seen = stationary_variance(coming, m=m, tau=tau, eta=eta, eta_s=eta_s, sigma=0.7)
    expected = [exchangeable(name, m, n, tau, eta, eta_s, 0.7) for n in coming]
    np.testing.assert_allclose(seen.variance[name], expected, rtol=1e-11)


def exchangeable(name: str, m: int, n: int, tau: int, eta: float, eta_s: float, sigma: float) -> float:
    """E x^2 after many rounds, from four moments that clients of one Hessian 1 share, x* = 0.

    With k_i what is kept of client i, less its value at the optimum: a = E x^2, b = E x k_i, c = E k_i^2,
    d = E k_i k_j; W = E (k_i - mean k)^2 = (c - d)(m - 1)/m. A client sends rho x + noise of variance v
    (FedVARP), and SCAFFOLD's rho (x + mean k - k_i) + noise.
    """
    rho, s = 1 - (1 - eta) ** tau, eta_s
    v = eta**2 * sigma**2 * sum((1 - eta) ** (2 * k) for k in range(tau))
    q = (m - n) / (n * (m - 1))
    come, both = n / m, n * (n - 1) / (m * (m - 1))
    one, none = n * (m - n) / (m * (m - 1)), (m - n) * (m - n - 1) / (m * (m - 1))
    scaffold = name == "scaffold"
    f, g = (
        (rho / (tau * eta), 1 / (tau * eta)) if scaffold else (rho, 1.0)
    )  # k+ = f x + (1 - f) (..) + g noise
    keep = 1 - f if scaffold else 0.0
    pull = s * rho if scaffold else s

    def after(moments: Array, noise: float) -> Array:
        a, b, c, d = moments
        W = (c - d) * (m - 1) / m
        apart = -W / (m - 1)  # E (k_i - mean k) k_j
        return np.array([
            (1 - s * rho) ** 2 * a + pull**2 * q * W + s**2 * noise / n,
            come * ((1 - s * rho) * f * a + keep * pull * q * W - s * g * noise / n)
            + (1 - come) * ((1 - s * rho) * b + pull * apart),
            come * (f**2 * a + keep**2 * W + g**2 * noise) + (1 - come) * c,
            both * (f**2 * a + keep**2 * apart) + 2 * one * (f * b + keep * apart) + none * d,
        ])  # fmt: skip

    A = np.stack([after(row, 0.0) for row in np.eye(4)], axis=1)
    return float(np.linalg.solve(np.eye(4) - A, after(np.zeros(4), v))[0])
