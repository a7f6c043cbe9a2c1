"""What every family of problems must satisfy: losses, gradients, observables and minima agree."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import Step
from boundkit.simulation.problems import Problem, problem_from_spec
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import make_run
from tests.simulation.problems.families import FAMILIES

every_family = pytest.mark.parametrize("name", FAMILIES)


def points(problem: Problem, count: int = 6, spread: float = 1.5) -> np.ndarray:
    return spread * np.random.default_rng(2).normal(size=(count, problem.d))


@every_family
def test_losses_of_arrays_and_tensors_at_one_point_and_at_own_points(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    everyone = np.arange(problem.m)
    losses = problem.losses(x)
    assert losses.shape == (len(x), problem.m)
    np.testing.assert_allclose(problem.losses(torch.as_tensor(x)).numpy(), losses, rtol=1e-13)
    np.testing.assert_allclose(problem.losses(x[0]), losses[0], rtol=1e-13)
    y = torch.as_tensor(np.random.default_rng(3).normal(size=(5, problem.m, problem.d)))
    own = np.stack([problem.losses(y[:, i].numpy())[:, i] for i in range(problem.m)], axis=1)
    np.testing.assert_allclose(problem.losses_at(everyone, y).numpy(), own, rtol=1e-11, atol=1e-13)
    turned = np.random.default_rng(1).permuted(np.tile(everyone, (5, 1)), axis=1)
    rows = np.arange(5)[:, None]
    drawn = problem.losses_at(turned, y[rows, turned]).numpy()
    np.testing.assert_allclose(drawn, own[rows, turned], rtol=1e-11, atol=1e-13)


@every_family
def test_gradients_are_the_derivatives_of_the_losses(name: str) -> None:
    problem = FAMILIES[name]()
    everyone = np.arange(problem.m)
    x = points(problem)
    y = torch.as_tensor(np.repeat(x[:, None], problem.m, axis=1)).requires_grad_()
    (derivative,) = torch.autograd.grad(problem.losses_at(everyone, y).sum(), y)
    given = problem.client_gradients(x)
    assert given.shape == (len(x), problem.m, problem.d)
    np.testing.assert_allclose(given, derivative.numpy(), rtol=1e-10, atol=1e-12)
    h = 1e-5 * np.eye(problem.d)
    central = np.stack([(problem.losses(x + s) - problem.losses(x - s)) / 2e-5 for s in h], axis=-1)
    scale = max(np.abs(given).max(), 1.0)
    np.testing.assert_allclose(given / scale, central / scale, atol=1e-7)
    turned = np.random.default_rng(1).permuted(np.tile(everyone, (len(x), 1)), axis=1)
    rows = np.arange(len(x))[:, None]
    start = y.detach()[rows, turned]
    drawn = problem.gradients(turned, start)(start).numpy()
    np.testing.assert_allclose(drawn, given[rows, turned], rtol=1e-12, atol=1e-13)


@every_family
def test_observables_follow_from_losses_and_gradients(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    seen = problem.observe(x)
    assert set(seen) <= {*OBSERVABLES, *problem.extra_observables}
    loss = problem.losses(x) @ problem.p
    gradients = problem.client_gradients(x)
    mean = np.einsum("i,rid->rd", problem.p, gradients)
    np.testing.assert_allclose(seen["loss"], loss, rtol=1e-11)
    np.testing.assert_allclose(seen["gradient_norm_squared"], (mean**2).sum(1), rtol=1e-11)
    apart = ((gradients - mean[:, None]) ** 2).sum(2) @ problem.p
    np.testing.assert_allclose(seen["dissimilarity"], apart, rtol=1e-9, atol=1e-12 * (mean**2).max())
    if "distance_squared" in seen:
        assert problem.optimum is not None
        np.testing.assert_allclose(seen["distance_squared"], ((x - problem.optimum) ** 2).sum(1), rtol=1e-11)
    at_tensors = problem.observe(torch.as_tensor(x))
    for name_, values in seen.items():
        np.testing.assert_allclose(np.asarray(at_tensors[name_]), values, rtol=1e-12, atol=1e-14)
        assert np.shape(problem.observe(x[0])[name_]) == ()


@every_family
def test_no_point_is_below_the_minima(name: str) -> None:
    problem = FAMILIES[name]()
    x = np.concatenate([points(problem, 400 if problem.d <= 3 else 60, spread) for spread in (0.1, 1.0, 3.0)])
    losses = problem.losses(x)
    scale = np.abs(losses).max()
    if problem.minima is not None:
        assert problem.minima.shape == (problem.m,)
        assert (losses >= problem.minima - 1e-12 * scale).all()
    seen = problem.observe(x)
    if "loss_gap" in seen:
        assert (seen["loss_gap"] >= -1e-12 * scale).all()
    if problem.heterogeneity is not None:
        assert problem.minima is not None
        infimum = float(np.mean(seen["loss"] - seen["loss_gap"]))
        wanted = infimum - problem.p @ problem.minima
        assert problem.heterogeneity.value == pytest.approx(wanted, abs=1e-10 * scale)


@every_family
def test_a_quiet_copy_has_no_noise_and_leaves_the_other_as_it_was(name: str) -> None:
    problem = FAMILIES[name]()
    before = problem.noise
    quiet = problem.without_noise()
    assert (quiet.noise, problem.noise) == (0, before)
    np.testing.assert_array_equal(quiet.losses(points(problem)), problem.losses(points(problem)))


@every_family
def test_alike_means_that_losses_differ_by_a_constant(name: str) -> None:
    problem = FAMILIES[name]()
    gradients = problem.client_gradients(points(problem))
    assert problem.homogeneous is bool(np.ptp(gradients, axis=1).max() <= 1e-10 * np.abs(gradients).max())


def held(values: np.ndarray, bound: float) -> bool:
    """At most the bound, up to rounding."""
    return bool((values <= bound * (1 + 1e-9) + 1e-9).all())


@every_family
def test_no_pair_of_points_breaks_smoothness_or_strong_convexity(name: str) -> None:
    problem = FAMILIES[name]()
    found = problem.constants(np.full(problem.d, 1.3))
    for spread, step in ((1.0, 1e-3), (3.0, 1.0), (0.3, 0.1)):
        x = points(problem, 500, spread)
        y = x + step * np.random.default_rng(5).normal(size=x.shape)
        apart = problem.client_gradients(x) - problem.client_gradients(y)
        away = np.linalg.norm(x - y, axis=1)
        if "L" in found and found["L"].trust == "exact":
            assert (np.linalg.norm(apart, axis=2).max(axis=1) <= away * found["L"].value * (1 + 1e-6)).all()
        if "mu" in found and found["mu"].trust == "exact":
            along = np.einsum("rid,rd->ri", apart, x - y).min(axis=1) / away**2
            assert (along >= found["mu"].value * (1 - 1e-6)).all()
        if problem.convexity()[0]:
            assert (np.einsum("rid,rd->ri", apart, x - y) >= -1e-9 * np.abs(apart).max()).all()
        if "G" in found:
            assert held(np.linalg.norm(problem.client_gradients(x), axis=2), found["G"].value)


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
def test_no_point_breaks_relaxed_smoothness_or_the_dissimilarity_in_norm(name: str) -> None:
    problem = FAMILIES[name]()
    found = problem.constants(np.full(problem.d, 1.3))
    for spread in (0.3, 1.0, 4.0):
        x = points(problem, 1000, spread)
        gradients = problem.client_gradients(x)
        mean = np.einsum("i,rid->rd", problem.p, gradients)
        norms = np.linalg.norm(np.concatenate([gradients, mean[:, None]], axis=1), axis=2)
        if "L0" in found:
            bound = found["L0"].value + found["L1"].value * norms
            assert (curvatures(problem, x)[0] <= bound * (1 + 1e-6) + 1e-5).all()
        if "zeta" in found:
            apart = np.linalg.norm(gradients - mean[:, None], axis=2).max(axis=1)
            bound = found["zeta"].value + found["rho_zeta"].value * norms[:, -1]
            assert (apart <= bound * (1 + 1e-9) + 1e-9).all()


@every_family
def test_no_point_below_the_start_breaks_what_holds_there(name: str) -> None:
    problem = FAMILIES[name]()
    for start in (0.3, 1.3, -2.0):
        x0 = np.full(problem.d, start)
        found = problem.constants(x0)
        if "gap" not in found:
            assert "grad_max" not in found
            continue
        count = 1500 if problem.d <= 3 else 60
        x = np.concatenate([points(problem, count, spread) for spread in (0.3, 1.0, 3.0)])
        x = np.concatenate([x, problem.centre + 0.3 * x, x0[None]])
        x = x[problem.observe(x)["loss"] <= problem.observe(x0)["loss"]]
        assert len(x)
        largest, smallest = curvatures(problem, x)
        if "grad_max" in found:
            steepness = problem.observe(x)["gradient_norm_squared"] ** 0.5
            assert held(steepness, found["grad_max"].value)
        if "L" in found:
            assert (largest <= found["L"].value * (1 + 1e-6) + 1e-5).all()
        if "L_minus" in found:
            assert (smallest >= -found["L_minus"].value * (1 + 1e-6) - 1e-5).all()
        if "mu" in found:
            assert (smallest[:, : problem.m] >= found["mu"].value * (1 - 1e-6) - 1e-5).all()


@every_family
def test_a_written_problem_is_read_as_the_same(name: str) -> None:
    problem = FAMILIES[name]()
    spec = json.loads(json.dumps(problem.to_json(), allow_nan=False))
    again = problem_from_spec(spec, problem.noise)
    assert type(again) is type(problem)
    assert again.to_json() == problem.to_json()
    x = points(problem)
    np.testing.assert_array_equal(again.losses(x), problem.losses(x))
    x0 = np.full(problem.d, 1.3)
    assert again.constants(x0) == problem.constants(x0)


@every_family
def test_far_starts_have_constants_or_are_refused(name: str) -> None:
    problem = FAMILIES[name]()
    for far in (1e3, -1e3, 1e20, 1e60, -1e120):
        try:
            found = problem.constants(np.full(problem.d, far))
        except BoundkitError as error:
            said = str(error)
        else:
            said = "start nearer."
            assert not any(np.isnan(c.value) for c in found.values())
        assert said.endswith("start nearer.")


@every_family
def test_other_weights_make_another_mean_of_the_same_clients(name: str) -> None:
    problem = FAMILIES[name]()
    rng = np.random.default_rng(6)
    w = rng.dirichlet(np.ones(problem.m))
    x = points(problem)
    if problem.kind == "clipping_instance":
        with pytest.raises(BoundkitError, match="have fixed weights"):
            problem.reweighted(w)
    elif problem.kind == "smooth_nonconvex" and problem.m > 1:
        with pytest.raises(BoundkitError, match="must be 0"):
            problem.reweighted(w)
    else:
        other = problem.reweighted(w)
        assert other.noise == problem.noise
        np.testing.assert_array_equal(other.losses(x), problem.losses(x))
        np.testing.assert_allclose(other.observe(x)["loss"], problem.losses(x) @ w, rtol=1e-10, atol=1e-12)


@every_family
def test_a_run_of_every_family_descends_or_says_that_it_does_not(name: str) -> None:
    problem = FAMILIES[name]()
    run = make_run("fedavg", problem, rounds=5, eta=1e-3, local_steps=2, x0=np.full(problem.d, 0.5))
    seen = Step(run, replicas=2).trajectory()
    assert seen.outcome == "done"
    assert np.isfinite(seen.mean("loss")).all()


@every_family
def test_single_precision_is_close(name: str) -> None:
    problem = FAMILIES[name]()
    x = points(problem)
    y = torch.as_tensor(np.repeat(x[:, None], problem.m, axis=1), dtype=torch.float32)
    given = problem.gradients(np.arange(problem.m), y)(y)
    assert given.dtype == torch.float32
    wanted = problem.client_gradients(x)
    np.testing.assert_allclose(given.numpy(), wanted, rtol=1e-4, atol=1e-4 * max(np.abs(wanted).max(), 1.0))
    for values in problem.observe(torch.as_tensor(x, dtype=torch.float32)).values():
        assert values.dtype == torch.float32
