"""Fixed points of two kinds of clients: the engine stays there, and they refute planted mistakes."""

import numpy as np
import pytest

from boundkit.attack.exact_instances.drift_fixed_points import (
    at_attacked_point,
    at_crossed_point,
    at_fixed_point,
    at_point_attacked_from_aside,
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
        ("dp_fedavg_nonconvex", "client drift: 7/25 for 14/25"),
        ("fedcm_nonconvex", "client drift: fresh^3 for fresh^2"),
        ("byzantine_fedavg_nonconvex", "client drift: tau - 1 for (tau - 1)^2"),
        ("byzantine_fedavg_nonconvex", "client drift: 7/8 for 7/4"),
        (
            "byzantine_fedavg_nonconvex",
            "condition: L*eta*(sqrt(robustness) + 1)*(tau - 1) <= 1/2 for L*eta*(sqrt(robustness) + 1)*(tau "
            "- 1) <= 1/4",
        ),
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


def test_the_engine_stays_where_updates_are_clipped_to_one_length() -> None:
    h, eta, tau = -0.9, 0.02, 5
    settings = {n: np.array([v]) for n, v in {"h": h, "eta": eta, "tau": float(tau), "fresh": 1.0}.items()}
    at = {n: float(v[0]) for n, v in at_fixed_point(settings, 1.5).items()}
    run = make_run(
        "dp_fedavg",
        Quadratic([1.0, h], [[1.0], [-1.0]]),
        rounds=5,
        eta=eta,
        local_steps=tau,
        x0=[at["x0"]],
        options={"clip": at["clip"], "privacy_noise": 0.0},
    )
    recorded = trajectory(run)
    np.testing.assert_allclose(recorded.x.ravel(), at["x0"], rtol=1e-9)
    np.testing.assert_allclose(
        recorded.mean("gradient_norm_squared"), (at["distance"] * at["mean"]) ** 2, rtol=1e-9
    )
    assert at["distance"] == pytest.approx(1.5 * float(at_fixed_point(settings)["distance"][0]))
    slopes = [1 - (1 - eta * each) ** tau for each in (1.0, h)]
    lengths = np.abs([slopes[0] * (at["x0"] - 1), slopes[1] * (at["x0"] + 1)])
    assert np.maximum(lengths - at["clip"], 0).mean() / (eta * tau) == pytest.approx(at["clip_excess"])
    assert at["clip_excess"] > 0


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


def mean_of_local_steps(gradient: np.ndarray, curvatures: np.ndarray, eta: float, tau: int) -> np.ndarray:
    model, total = np.zeros_like(gradient), np.zeros_like(gradient)
    for _ in range(tau):
        total += (gradient + curvatures * model) / tau
        model -= eta * (gradient + curvatures * model)
    return total


@pytest.mark.parametrize("aside", [False, True])
def test_a_robust_server_stays_where_the_attack_is_the_mean_update(aside: bool) -> None:
    at = at_point_attacked_from_aside() if aside else at_attacked_point()
    place = int(np.flatnonzero((at["tau"] == 4) & (at["eta"] > 0.02) & (at["robustness"] > 0.1))[0])
    found = {name: float(values[place]) for name, values in at.items()}
    if aside:
        x = np.sqrt(found["square"])
        gradients, curvatures = np.array([[x, 1.0], [x, -1.0]]), np.array([[1.0, -1.0]] * 2)
    else:
        gradients, curvatures = np.array([[1.0], [found["second"]]]), np.array([[1.0], [-1.0]])
    updates = mean_of_local_steps(gradients, curvatures, found["eta"], 4)
    squares = (updates.mean(0) ** 2).sum(), updates.var(0).sum()
    assert squares[0] == pytest.approx(found["robustness"] * squares[1], rel=1e-9)
    assert (gradients.mean(0) ** 2).sum() == pytest.approx(found["square"], rel=1e-9)
    assert gradients.var(0).sum() == pytest.approx(found["sigma_g"] ** 2, rel=1e-9)
