"""Contract of all families of problems: losses, gradients, observables, minima and constants agree."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.problems import Problem, problem_from_spec
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.problems.families import FAMILIES

every_family = each("name", FAMILIES)


def points(problem: Problem, count: int = 6, scale: float = 1.5) -> np.ndarray:
    return scale * np.random.default_rng(2).normal(size=(count, problem.d))


def permuted_clients(problem: Problem, rows: int) -> np.ndarray:
    return np.random.default_rng(1).permuted(np.tile(np.arange(problem.m), (rows, 1)), axis=1)


@every_family
def test_losses_at_one_point_and_at_own_points(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    losses = problem.losses(x)
    assert losses.shape == (len(x), problem.m)
    np.testing.assert_allclose(problem.losses(x[0]), losses[0], rtol=1e-13)
    y = np.random.default_rng(3).normal(size=(5, problem.m, problem.d))
    own = np.stack([problem.losses(y[:, i])[:, i] for i in range(problem.m)], axis=1)
    given = problem.losses_at(np.arange(problem.m), y)
    np.testing.assert_allclose(given, own, rtol=1e-11, atol=1e-13)
    clients, rows = permuted_clients(problem, 5), np.arange(5)[:, None]
    given = problem.losses_at(clients, y[rows, clients])
    np.testing.assert_allclose(given, own[rows, clients], rtol=1e-11, atol=1e-13)


@every_family
def test_gradients_are_the_derivatives_of_the_losses(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    gradients = problem.client_gradients(x)
    assert gradients.shape == (len(x), problem.m, problem.d)
    h = 1e-5 * np.eye(problem.d)
    central = np.stack([(problem.losses(x + s) - problem.losses(x - s)) / 2e-5 for s in h], axis=-1)
    scale = max(np.abs(gradients).max(), 1.0)
    np.testing.assert_allclose(gradients / scale, central / scale, atol=1e-7)
    clients, rows = permuted_clients(problem, len(x)), np.arange(len(x))[:, None]
    start = np.repeat(x[:, None], problem.m, axis=1)
    given = problem.gradients(clients, start)(start)
    np.testing.assert_allclose(given, gradients[rows, clients], rtol=1e-12, atol=1e-13)


@every_family
def test_observables_follow_from_losses_and_gradients(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    observed = problem.observe(x)
    assert set(observed) <= {*OBSERVABLES, *problem.extra_observables}
    gradients = problem.client_gradients(x)
    mean = np.einsum("i,rid->rd", problem.p, gradients)
    np.testing.assert_allclose(observed["loss"], problem.losses(x) @ problem.p, rtol=1e-11)
    np.testing.assert_allclose(observed["gradient_norm_squared"], (mean**2).sum(1), rtol=1e-11)
    dissimilarity = ((gradients - mean[:, None]) ** 2).sum(2) @ problem.p
    scale = 1e-12 * (mean**2).max()
    np.testing.assert_allclose(observed["dissimilarity"], dissimilarity, rtol=1e-9, atol=scale)
    if "distance_squared" in observed:
        assert problem.optimum is not None
        distance = ((x - problem.optimum) ** 2).sum(1)
        np.testing.assert_allclose(observed["distance_squared"], distance, rtol=1e-11)
    assert all(np.shape(value) == () for value in problem.observe(x[0]).values())
    assert problem.homogeneous is bool(np.ptp(gradients, axis=1).max() <= 1e-10 * np.abs(gradients).max())
    noise, without = problem.noise, problem.without_noise()
    assert (without.noise, problem.noise) == (0, noise)
    np.testing.assert_array_equal(without.losses(x), problem.losses(x))


@every_family
def test_no_point_is_below_the_minima(name: str) -> None:
    problem = FAMILIES[name]()
    x = np.concatenate([points(problem, 400 if problem.d <= 3 else 60, scale) for scale in (0.1, 1.0, 3.0)])
    losses = problem.losses(x)
    scale = np.abs(losses).max()
    if problem.minima is not None:
        assert problem.minima.shape == (problem.m,)
        assert (losses >= problem.minima - 1e-12 * scale).all()
    observed = problem.observe(x)
    if "loss_gap" in observed:
        assert (observed["loss_gap"] >= -1e-12 * scale).all()
    if problem.heterogeneity is not None:
        assert problem.minima is not None
        infimum = float(np.mean(observed["loss"] - observed["loss_gap"]))
        expected = infimum - problem.p @ problem.minima
        assert problem.heterogeneity.value == pytest.approx(expected, abs=1e-10 * scale)


def curvatures(problem: Problem, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spectral norms and smallest eigenvalues of the clients' and the mean's Hessians, (R, m + 1)."""
    h = 1e-5
    columns = [
        (problem.client_gradients(x + h * u) - problem.client_gradients(x - h * u)) / (2 * h)
        for u in np.eye(problem.d)
    ]
    H = np.stack(columns, axis=-1)
    H = np.concatenate([H, np.einsum("i,ridc->rdc", problem.p, H)[:, None]], axis=1)
    values = np.linalg.eigvalsh((H + H.swapaxes(-1, -2)) / 2)
    return np.abs(values).max(axis=-1), values[..., 0]


@every_family
def test_constants_hold_everywhere(name: str) -> None:
    """Smoothness, strong convexity, bounded gradients, relaxed smoothness, dissimilarity in norm."""
    problem = FAMILIES[name]()
    constants = problem.constants(np.full(problem.d, 1.3))
    exact = {symbol: c.value for symbol, c in constants.items() if c.trust == "exact"}
    for scale, step in ((1.0, 1e-3), (3.0, 1.0), (0.3, 0.1)):
        x = points(problem, 500, scale)
        y = x + step * np.random.default_rng(5).normal(size=x.shape)
        gradients = problem.client_gradients(x)
        difference = gradients - problem.client_gradients(y)
        distance = np.linalg.norm(x - y, axis=1)
        if "L" in exact:
            largest = np.linalg.norm(difference, axis=2).max(axis=1)
            assert (largest <= distance * exact["L"] * (1 + 1e-6)).all()
        product = np.einsum("rid,rd->ri", difference, x - y)
        if "mu" in exact:
            assert (product.min(axis=1) / distance**2 >= exact["mu"] * (1 - 1e-6)).all()
        if problem.convexity()[0]:
            assert (product >= -1e-9 * np.abs(difference).max()).all()
        if "G" in exact:
            assert (np.linalg.norm(gradients, axis=2) <= exact["G"] * (1 + 1e-9) + 1e-9).all()
        mean = np.einsum("i,rid->rd", problem.p, gradients)
        norms = np.linalg.norm(np.concatenate([gradients, mean[:, None]], axis=1), axis=2)
        if "L0" in constants:
            bound = constants["L0"].value + constants["L1"].value * norms
            assert (curvatures(problem, x)[0] <= bound * (1 + 1e-6) + 1e-5).all()
        if "zeta" in constants:
            largest = np.linalg.norm(gradients - mean[:, None], axis=2).max(axis=1)
            bound = constants["zeta"].value + constants["rho_zeta"].value * norms[:, -1]
            assert (largest <= bound * (1 + 1e-9) + 1e-9).all()


@every_family
def test_constants_hold_on_the_initial_sublevel_set(name: str) -> None:
    problem = FAMILIES[name]()
    count = 500 if problem.d <= 3 else 20
    for start in (1.3, -2.0):
        x0 = np.full(problem.d, start)
        constants = {symbol: c.value for symbol, c in problem.constants(x0).items()}
        if "gap" not in constants:
            assert "grad_max" not in constants
            continue
        x = np.concatenate([points(problem, count, scale) for scale in (0.3, 1.0, 3.0)])
        x = np.concatenate([x, problem.centre + 0.3 * x, x0[None]])
        x = x[problem.observe(x)["loss"] <= problem.observe(x0)["loss"]]
        assert len(x)
        largest, smallest = curvatures(problem, x)
        if "grad_max" in constants:
            norms = problem.observe(x)["gradient_norm_squared"] ** 0.5
            assert (norms <= constants["grad_max"] * (1 + 1e-9) + 1e-9).all()
        if "L" in constants:
            assert (largest <= constants["L"] * (1 + 1e-6) + 1e-5).all()
        if "L_minus" in constants:
            assert (smallest >= -constants["L_minus"] * (1 + 1e-6) - 1e-5).all()
        if "mu" in constants:
            assert (smallest[:, : problem.m] >= constants["mu"] * (1 - 1e-6) - 1e-5).all()


@every_family
def test_written_reweighted_and_distant_problems(name: str) -> None:
    problem = FAMILIES[name]()
    x, x0 = points(problem), np.full(problem.d, 1.3)
    again = problem_from_spec(json.loads(json.dumps(problem.to_json(), allow_nan=False)), problem.noise)
    assert type(again) is type(problem)
    assert again.to_json() == problem.to_json()
    np.testing.assert_array_equal(again.losses(x), problem.losses(x))
    assert again.constants(x0) == problem.constants(x0)
    for start in (1e3, -1e3, 1e20, 1e60, -1e120):
        message = "start nearer."
        try:
            constants = problem.constants(np.full(problem.d, start))
        except BoundkitError as error:
            message = str(error)
        else:
            assert not any(np.isnan(c.value) for c in constants.values())
        assert message.endswith("start nearer.")
    w = np.random.default_rng(6).dirichlet(np.ones(problem.m))
    if problem.kind == "clipping_instance":
        with pytest.raises(BoundkitError, match="have fixed weights"):
            problem.reweighted(w)
    elif (problem.kind == "smooth_nonconvex" and problem.m > 1) or name == "huber, linear terms":
        with pytest.raises(BoundkitError, match="must be 0"):
            problem.reweighted(w)
    else:
        other = problem.reweighted(w)
        assert other.noise == problem.noise
        np.testing.assert_array_equal(other.losses(x), problem.losses(x))
        np.testing.assert_allclose(other.observe(x)["loss"], problem.losses(x) @ w, rtol=1e-10, atol=1e-12)


@every_family
def test_a_run_ends_with_finite_losses(name: str) -> None:
    problem = FAMILIES[name]()
    run = make_run("fedavg", problem, rounds=5, eta=1e-3, local_steps=2, x0=np.full(problem.d, 0.5))
    trajectory = StepEngine(run, replicas=2).trajectory()
    assert trajectory.outcome == "done"
    assert np.isfinite(trajectory.mean("loss")).all()
