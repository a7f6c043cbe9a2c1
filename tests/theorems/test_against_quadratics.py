"""Bounds against exact moments of FedAvg on quadratics with a shared diagonal Hessian.

F_i(x) = sum_j h_j (x_j - e_ij)^2/2, so gradients differ by the constant h (e_i - mean e): the
dissimilarity is exact everywhere, and so are L = max h and mu = min h. One coordinate at a time, tau
steps with noise of variance s^2 a coordinate send x to (1 - rho) x + rho e_i + noise of variance
eta^2 s^2 sum_k (1 - eta h)^(2k), with rho = 1 - (1 - eta h)^tau. C m clients without replacement add
q/(C m) of the clients' variance. Mean and second moment are then two numbers a coordinate and round.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sympy import lambdify

from boundkit.algebra import Theorem
from boundkit.simulation.arrays import Array
from boundkit.theorems import catalogue
from tests.cases import each


@dataclass(frozen=True)
class Setting:
    h: Array
    e: Array
    x0: Array
    clients: int
    chosen: int
    tau: int
    rounds: int
    eta: float
    eta_s: float
    noise: float


def draw(seed: int, full: bool, single: bool) -> Setting:
    """A random setting with steps at 1, 0.3 or 0.1 of what the strictest theorem allows."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    clients = int(rng.integers(2, 12))
    tau = 1 if single else int(rng.integers(1, 12))
    h = np.exp(rng.normal(0, 1, d))
    eta_s = 1.0 if full else float(np.exp(rng.normal()))
    eta = float(rng.choice([1, 0.3, 0.1])) / (24 * h.max() * tau * max(1.0, eta_s))
    return Setting(
        h=h,
        e=rng.normal(0, np.exp(rng.normal(0, 1.5)), (clients, d)),
        x0=rng.normal(0, np.exp(rng.normal(0, 1.5)), d),
        clients=clients,
        chosen=clients if full else int(rng.integers(1, clients + 1)),
        tau=tau,
        rounds=int(rng.integers(1, 400)),
        eta=eta,
        eta_s=eta_s,
        noise=float(rng.choice([0, np.exp(rng.normal())])),
    )


def second_moments(s: Setting) -> Array:
    """E (x_t - x*)^2 by coordinate, for t = 0, ..., T; shape (T + 1, d)."""
    shrink = 1 - s.eta * s.h
    rho = 1 - shrink**s.tau
    spread = s.e.var(axis=0)
    q = (s.clients - s.chosen) / (s.clients - 1)
    walk = s.eta**2 * s.noise**2 / len(s.h) * sum(shrink ** (2 * k) for k in range(s.tau))
    fresh = s.eta_s**2 * (rho**2 * q * spread + walk) / s.chosen
    kept = (1 - s.eta_s * rho) ** 2
    rest = fresh / (1 - kept)
    moments = (s.x0 - s.e.mean(axis=0)) ** 2 - rest
    return np.asarray(moments * kept ** np.arange(s.rounds + 1)[:, None] + rest)


def observed(theorem: Theorem, s: Setting) -> float:
    moments = second_moments(s)
    series = {
        "gradient_norm_squared": (s.h**2 * moments).sum(axis=1),
        "loss_gap": (s.h / 2 * moments).sum(axis=1),
        "distance_squared": moments.sum(axis=1),
    }
    return float(theorem.claim.measure(series[theorem.claim.observable]))


def predicted(theorem: Theorem, s: Setting) -> float:
    start = s.x0 - s.e.mean(axis=0)
    values = {
        "m": s.clients,
        "C": s.chosen / s.clients,
        "T": s.rounds,
        "tau": s.tau,
        "eta": s.eta,
        "eta_s": s.eta_s,
        "L": s.h.max(),
        "mu": s.h.min(),
        "sigma": s.noise,
        "sigma_g": np.sqrt((s.h**2 * s.e.var(axis=0)).sum()),
        "gap": (s.h / 2 * start**2).sum(),
        "distance": np.sqrt((start**2).sum()),
    }
    return float(as_function(theorem)(*(values[q.name] for q in theorem.quantities)))


@cache
def as_function(theorem: Theorem) -> Callable[..., Any]:
    found: Callable[..., Any] = lambdify(list(theorem.quantities), theorem.bound.total, modules="numpy")
    return found


def ratios(theorem: Theorem, count: int = 150) -> list[float]:
    full = not theorem.assumes("partial-participation")
    single = theorem.assumes("one-local-step")
    settings = [draw(seed, full, single) for seed in range(count)]
    return [observed(theorem, s) / predicted(theorem, s) for s in settings]


FIVE = {
    "sgd_nonconvex": 0.4,
    "fedavg_nonconvex": 0.2,
    "fedavg_nonconvex_partial": 0.2,
    "fedavg_convex_partial": 0.2,
    "fedavg_strongly_convex_partial": 0.9,
}
"""How near to the bound some setting must come, so that the test would see a constant that is too small."""


@each(("name", "near"), FIVE.items())
def test_bound_holds_and_is_not_vacuous(name: str, near: float) -> None:
    found = ratios(catalogue()[name])
    assert near < max(found) <= 1


def test_moments_agree_with_a_simulation() -> None:
    rng = np.random.default_rng(0)
    s = Setting(
        h=np.array([0.5, 2.0]),
        e=rng.normal(0, 1, (5, 2)),
        x0=np.array([1.0, -1.0]),
        clients=5,
        chosen=2,
        tau=3,
        rounds=4,
        eta=0.1,
        eta_s=1.5,
        noise=1.0,
    )
    replicas = 20000
    x = np.tile(s.x0, (replicas, 1))
    for _ in range(s.rounds):
        order = rng.permuted(np.tile(np.arange(s.clients), (replicas, 1)), axis=1)[:, : s.chosen]
        y = np.repeat(x[:, None, :], s.chosen, axis=1)
        for _ in range(s.tau):
            noise = rng.normal(0, s.noise / np.sqrt(len(s.h)), y.shape)
            y = y - s.eta * (s.h * (y - s.e[order]) + noise)
        x = x - s.eta_s * (x[:, None, :] - y).mean(axis=1)
    squares = (x - s.e.mean(axis=0)) ** 2
    error = squares.std(axis=0) / np.sqrt(replicas)
    assert np.all(np.abs(squares.mean(axis=0) - second_moments(s)[-1]) < 5 * error)
