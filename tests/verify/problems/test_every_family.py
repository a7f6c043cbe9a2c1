"""What every family of problems must satisfy: losses, gradients, observables and minima agree."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from boundkit.verify.problems import Problem
from boundkit.verify.problems.base import OBSERVABLES
from tests.verify.problems.families import FAMILIES

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
    scale = np.abs(given).max()
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
    assert set(seen) <= set(OBSERVABLES)
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
    x = np.concatenate([points(problem, 400, spread) for spread in (0.1, 1.0, 3.0)])
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
    quiet = problem.quiet()
    assert (quiet.noise, problem.noise) == (0, before)
    np.testing.assert_array_equal(quiet.losses(points(problem)), problem.losses(points(problem)))


@every_family
def test_alike_means_that_losses_differ_by_a_constant(name: str) -> None:
    problem = FAMILIES[name]()
    gradients = problem.client_gradients(points(problem))
    assert problem.alike is bool(np.ptp(gradients, axis=1).max() <= 1e-10 * np.abs(gradients).max())
