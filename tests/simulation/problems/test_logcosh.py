"""Log-cosh losses: constants, digits near the optimum, and the noise drift that quadratics do not have."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import LogCosh, Problem, Quadratic
from boundkit.simulation.run import make_run

X = np.linspace(-30, 30, 400_001)[:, None]


def test_losses_and_constants_by_brute_force() -> None:
    problem = LogCosh([1.0, 2.0, 0.5], [[0.0], [1.5], [-2.0]], [0.2, 0.3, 0.5], noise=0.4)
    x0 = np.array([4.0])
    found = problem.constants(x0)
    direct = np.stack(
        [h * np.log(np.cosh(X[:, 0] - e)) for h, e in zip([1.0, 2.0, 0.5], [0.0, 1.5, -2.0], strict=True)], 1
    )
    np.testing.assert_allclose(problem.losses(X), direct, rtol=1e-12, atol=1e-14)
    loss = direct @ problem.p
    assert problem.optimum is not None
    assert problem.optimum[0] == pytest.approx(X[np.argmin(loss), 0], abs=2e-4)
    assert abs(float(problem.client_gradients(problem.centre)[:, 0] @ problem.p)) < 1e-16
    assert found["gap"].value == pytest.approx(np.interp(4.0, X[:, 0], loss) - loss.min(), abs=1e-7)
    assert found["L"].value == 2.0
    assert found["G"].value ** 2 == pytest.approx(4 + 0.16)
    assert "G_inf" not in found  # the noise has no bound
    bend = np.stack(
        [h / np.cosh(X[:, 0] - e) ** 2 for h, e in zip([1.0, 2.0, 0.5], [0.0, 1.5, -2.0], strict=True)], 1
    )
    low = loss <= np.interp(4.0, X[:, 0], loss)
    assert found["mu"].value == pytest.approx(bend[low].min(), rel=1e-2)
    assert found["mu"].value <= bend[low].min()
    assert {n: found[n].trust for n in ("L", "G", "gap", "mu")} == {
        "L": "exact", "G": "exact", "gap": "exact", "mu": "local",
    }  # fmt: skip
    assert problem.without_noise().constants(x0)["G_inf"].value == 2.0


def test_the_loss_gap_is_accurate_near_the_optimum() -> None:
    problem = LogCosh([1.0, 2.0], [[0.0], [1.5]])
    t = np.tanh(problem.centre - problem.e)
    bend = float(problem.p @ (problem.h * (1 - t * t))[:, 0])
    for u in (1e-4, 1e-7, 1e-10):
        at = problem.centre + u
        v = float(at[0] - problem.centre[0])
        gap = float(problem.observe(at)["loss_gap"])
        assert gap == pytest.approx(bend * v * v / 2, rel=10 * u + 1e-5)
    assert problem.observe(problem.centre)["loss_gap"] == 0


def test_noise_drift_exists_unlike_for_quadratics() -> None:
    """Two steps of one client: the second gradient is tanh, averaged over where the first noise led."""
    problem = LogCosh([1.0], [[0.0]], noise=1.5)
    alike = Quadratic([1.0], [[0.0]], noise=1.5)
    settings: dict[str, Any] = {"rounds": 1, "eta": 1.0, "local_steps": 2, "x0": [1.5], "seed": 5}
    z, weight = np.polynomial.hermite_e.hermegauss(80)
    first = 1.5 - np.tanh(1.5)
    drift = np.tanh(first) - weight @ np.tanh(first - 1.5 * z) / weight.sum()
    error = 1.5 * 2**0.5 / 4000**0.5
    assert drift > 5 * error
    cases: list[tuple[Problem, float]] = [(problem, drift), (alike, 0.0)]
    for kind, predicted in cases:
        noisy = StepEngine(make_run("fedavg", kind, **settings), replicas=4000).trajectory()
        still = StepEngine(make_run("fedavg", kind.without_noise(), **settings)).trajectory()
        assert abs(float(noisy.x[1, 0] - still.x[1, 0]) - predicted) < 3 * error
