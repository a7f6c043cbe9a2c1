"""Fixed points of two kinds of clients: the engine stays there, and they refute planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.drift_fixed_points import (
    at_crossed_point,
    at_fixed_point,
    measure_drift_fixed_points,
)
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("dp_fedavg_nonconvex", "client drift: left out"),
        ("fedcm_nonconvex", "client drift: fresh^3 for fresh^2"),
        ("byzantine_fedavg_nonconvex", "client drift: tau - 1 for (tau - 1)^2"),
        ("fednova_nonconvex_tuned", "client drift: m left out"),
        ("fedvarp_nonconvex_tuned", "client drift: tau^(-2) for 1/tau"),
        ("fedavg_strongly_convex_sampling", "client drift: 31/500 for 31/125"),
        ("fedavg_convex_sampling", "client drift: 1/9 for 2/9"),
    ],
)
def test_they_refute_mistakes_and_no_true_bound(name: str, wrong: str) -> None:
    measurements = Measurements(theorem(name), tuple(measure_drift_fixed_points(theorem(name))))
    assert measurements.above() is None
    assert measurements.killer(next(one for one in generate_mutants(theorem(name)) if one.what == wrong))


@pytest.mark.parametrize("algorithm", ["fedavg", "fednova", "fedvarp", "mifa", "fedcm", "dp_fedavg"])
def test_the_engine_stays_there_with_these_constants(algorithm: str) -> None:
    h, eta, tau, fresh = -0.9, 0.02, 5, 0.3 if algorithm == "fedcm" else 1.0
    settings = {"h": h, "eta": eta, "tau": float(tau), "fresh": fresh}
    at = {n: float(v[0]) for n, v in at_fixed_point({n: np.array([v]) for n, v in settings.items()}).items()}
    problem = Quadratic([1.0, h], [[1.0], [-1.0]])
    options = {
        "fedcm": {"fresh": fresh},
        "dp_fedavg": {"clip": at["clip"] * (1 + 1e-9), "privacy_noise": 0.0},
    }
    run = make_run(
        algorithm,
        problem,
        rounds=5,
        eta=eta,
        local_steps=tau,
        x0=[at["x0"]],
        options=options.get(algorithm, {}),
    )
    recorded = trajectory(run)
    np.testing.assert_allclose(recorded.x.ravel(), at["x0"], rtol=1e-9)
    np.testing.assert_allclose(
        recorded.mean("gradient_norm_squared"), (at["distance"] * at["mean"]) ** 2, rtol=1e-9
    )
    np.testing.assert_allclose(recorded.mean("loss_gap"), at["gap"], rtol=1e-9)
    np.testing.assert_allclose(recorded.mean("dissimilarity"), at["sigma_g"] ** 2, rtol=1e-9)
    gradients = problem.client_gradients(run.x0[None])[0]
    np.testing.assert_allclose((gradients**2).sum(axis=-1).mean(), at["gradients_start"] ** 2, rtol=1e-9)


def test_the_engine_stays_between_curvatures_across_each_other() -> None:
    h, eta, tau, size = 0.1, 0.02, 5, 2.0
    settings = {n: np.array([v]) for n, v in {"h": h, "eta": eta, "tau": float(tau), "fresh": 1.0}.items()}
    at = {n: float(v[0]) for n, v in at_crossed_point(settings, size).items()}
    slope = size * h**0.5
    matrices, ends = [], []
    for sign in (1.0, -1.0):
        axis = np.array([sign, slope]) / np.sqrt(1 + slope**2)
        matrices.append(h * np.eye(2) + (1 - h) * np.outer(axis, axis))
        ends.append(-np.linalg.solve(matrices[-1], [sign, at["distance"] * at["mean"]]))
    run = make_run("fedavg", Quadratic(matrices, ends), rounds=5, eta=eta, local_steps=tau, x0=[0.0, 0.0])
    recorded = trajectory(run)
    np.testing.assert_allclose(recorded.x, 0.0, atol=1e-12)
    np.testing.assert_allclose(recorded.mean("loss_gap"), at["gap"], rtol=1e-9)
    np.testing.assert_allclose(recorded.mean("distance_squared"), at["distance"] ** 2, rtol=1e-9)
    np.testing.assert_allclose(recorded.mean("dissimilarity"), at["sigma_g"] ** 2, rtol=1e-9)
    assert min(np.linalg.eigvalsh(each)[0] for each in matrices) == pytest.approx(at["mu"])


def test_bounds_without_client_drift_have_none() -> None:
    for name in ("local_sgd_nonconvex", "scaffold_nonconvex"):
        assert not list(measure_drift_fixed_points(theorem(name)))
