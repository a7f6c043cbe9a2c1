"""Clients with kinks of their own: what the loss is, a run of many of them, and what they show."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.attack.exact_instances.own_kinks import _BESIDE, mean_lack, measure_own_kinks, settings
from boundkit.attack.measurement import Array
from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem


def phi(u: Array, y: Array) -> Array:
    r = np.linalg.norm(y, axis=-1)
    near = u * np.abs(u) / 4 - u * r / np.sqrt(2)
    return np.asarray(np.where(np.abs(u) <= np.sqrt(2) * r, near, -np.sign(u) * r**2 / 2))


def gradient(u: Array, y: Array) -> tuple[Array, Array]:
    r = np.linalg.norm(y, axis=-1)
    near = np.abs(u) <= np.sqrt(2) * r
    by_u = np.where(near, np.abs(u) / 2 - r / np.sqrt(2), 0.0)
    by_r = np.where(near, -u / np.sqrt(2), -np.sign(u) * r)
    return by_u, by_r[..., None] * y / np.where(r > 0, r, 1.0)[..., None]


@pytest.mark.parametrize("slope", [1.0, 1.1])
def test_the_gradient_of_phi_is_lipschitz(slope: float) -> None:
    """With a larger slope in r it is not."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=(200_000, 4))
    second = first + rng.normal(size=first.shape) * 10.0 ** rng.uniform(-4, 0, size=(200_000, 1))
    (a, b), (c, d) = (gradient(slope * each[:, 0], each[:, 1:]) for each in (first, second))
    change = np.sqrt((slope * (a - c)) ** 2 + ((b - d) ** 2).sum(axis=1))
    quotient = (change / np.linalg.norm(first - second, axis=1)).max()
    assert (quotient <= 1 + 1e-9) == (slope == 1)
    assert quotient > 0.999


def test_the_gradient_is_that_of_phi() -> None:
    rng, h = np.random.default_rng(1), 1e-6
    u, y = rng.normal(size=1000), rng.normal(size=(1000, 3))
    by_u, by_y = gradient(u, y)
    np.testing.assert_allclose((phi(u + h, y) - phi(u - h, y)) / (2 * h), by_u, atol=1e-5)
    for k, step in enumerate(h * np.eye(3)):
        np.testing.assert_allclose((phi(u, y + step) - phi(u, y - step)) / (2 * h), by_y[:, k], atol=1e-5)


def test_the_mean_loss_is_nearly_a_quadratic() -> None:
    """At models in which all clients are away from 0, where phi is largest, for more and more of them."""
    rng, mu, X = np.random.default_rng(2), 0.1, 3.0
    for m in (10_000, 1_000_000):
        for u, scale in ((0.5, 1.0), (-0.5, 1.0), (-3.0, 0.1), (0.1, 10.0)):
            y = scale * rng.normal(size=(m, 1))
            by_u, by_y = gradient(np.full(m, u), y)
            squares = float((y**2).sum())
            loss = mu / 2 * ((u + X) ** 2 + squares) + float(phi(np.full(m, u), y).mean())
            square = (mu * (u + X) + by_u.mean()) ** 2 + float(((mu * y + by_y / m) ** 2).sum())
            assert square >= 2 * mu * (1 - 2 / (mu * np.sqrt(m))) * loss
            assert abs(by_u.mean()) <= np.sqrt(squares / (2 * m))


def test_the_server_of_many_clients_stays() -> None:
    """FedAvg of 300 clients and 5 steps from the fixed point, which is a little above the kink."""
    rng, m, tau, eta, mu, rounds = np.random.default_rng(3), 300, 5, 1e-4, 1e-3, 400
    lack = mean_lack(tau, 0.2) * eta  # u = 0.2 eta, at L' = sigma = 1
    X, d = lack / mu, -0.2 * eta
    z, y = 0.0, np.zeros((m, tau))
    for _ in range(rounds):
        places, models = np.full(m, z), np.tile(y, (m, 1, 1))
        own = np.arange(m)
        for k in range(tau):
            by_u, by_y = gradient(places - d, models[own, own])
            slopes = mu * models
            slopes[own, own] += by_y
            slopes[own, own, k] += rng.choice([-1.0, 1.0], size=m)
            places, models = places - eta * (mu * (places + X) + by_u), models - eta * slopes
        z, y = float(places.mean()), models.mean(axis=0)
    assert abs(z) < 0.03 * eta
    assert mu * (z + X) ** 2 / 2 == pytest.approx(lack**2 / (2 * mu), rel=1e-3)


def test_what_is_small_in_the_limit_is_small() -> None:
    at = settings()
    assert (1 / np.sqrt(at["m"]) < 1e-4 * at["mu_pl"]).all()  # what phi adds to the mean loss
    moved = at["eta"] * (at["mu_pl"] * np.sqrt(2 * at["gap"] / at["mu_pl"])) * at["tau"]
    assert (moved < _BESIDE * at["eta"] / 100).all()
    assert (at["mu_pl"] * at["eta"] * at["tau"] * at["T"] > 1e6).all()
    assert (at["T"] < 1e-3 * at["m"]).all()


@pytest.mark.parametrize(
    ("name", "change"),
    [("fedavg_pl", "1/20 for 1/2"), ("fedavg_pl_sampling", "11/100 for 11/25"), ("mifa_pl", "2/25 for 4/5")],
)
def test_noise_drift_is_needed(name: str, change: str) -> None:
    claimed = theorem(name)
    mutants = {each.what: each for each in generate_mutants(claimed)}
    found = Measurements(claimed, tuple(measure_own_kinks(claimed)))
    assert 0.1 < found.worst() < 1
    assert found.killer(mutants[f"noise drift: {change}"]) is not None


@pytest.mark.parametrize(
    "name", ["fedlin_strongly_convex", "cyclic_pl_local", "fedavg_nonconvex", "cyclic_pl"]
)
def test_other_theorems_have_none(name: str) -> None:
    assert not list(measure_own_kinks(theorem(name)))
