"""Quadratics F_i = sum_j h_j (x_j - e_ij)^2/2 that share their Hessian, and what a theorem says of them.

Gradients differ by the constant h (e_i - mean e), so the dissimilarity is the same everywhere, and so are
L = max h and mu = min h. Mean and second moment of FedAvg are then two numbers a coordinate and round.
"""

from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.simulation.arrays import Array


def bound(statement: Theorem, **values: float) -> float:
    """The bound as a number."""
    return float(evaluate(statement.bound.total, values))


def inside(statement: Theorem, **values: float) -> bool:
    """Whether every condition holds."""
    return all(bool(satisfied(c, values)) for c in (*statement.step_size, *statement.requires))


@dataclass(frozen=True)
class Quadratics:
    """Curvatures, minimisers (clients, coordinates), start, weights, and the noise of each client."""

    h: Array
    e: Array
    x0: Array
    p: Array
    s: Array

    @property
    def mean(self) -> Array:
        """The minimiser of the mean loss."""
        return np.asarray(self.p @ self.e)

    @property
    def scatter(self) -> Array:
        """The weighted variance of the clients' minimisers, by coordinate."""
        return np.asarray(self.p @ (self.e - self.mean) ** 2)

    @property
    def known(self) -> dict[str, float]:
        """The constants of a theorem, by keyword."""
        start = self.x0 - self.mean
        return {
            "m": len(self.p), "L": self.h.max(), "mu": self.h.min(), "gap": float(self.h @ start**2) / 2,
            "distance": float(np.sqrt((start**2).sum())), "Gamma": float(self.h @ self.scatter) / 2,
            "sigma_g": float(np.sqrt(self.h**2 @ self.scatter)),
            "sigma_mean": float(np.sqrt((self.p**2 * self.s**2).sum())),
        }  # fmt: skip


def draw(rng: np.random.Generator, equal: bool = True) -> Quadratics:
    """Random ones, now and then without noise or with like clients; unequal weights and noises if wanted."""
    d, clients = int(rng.integers(1, 4)), int(rng.integers(2, 8))
    p = np.full(clients, 1 / clients) if equal else rng.dirichlet(np.ones(clients))
    noise = float(rng.choice([0, np.exp(rng.normal())]))
    return Quadratics(
        h=np.exp(rng.normal(0, 0.7, d)),
        e=rng.normal(0, float(rng.choice([0, np.exp(rng.normal())])), (clients, d)),
        x0=rng.normal(0, np.exp(rng.normal(0, 1.5)), d),
        p=p,
        s=np.full(clients, noise) if equal else noise * rng.uniform(0, 2, clients),
    )


def squares(
    q: Quadratics, tau: int, rounds: int, eta: float, eta_s: float = 1, come: int | None = None
) -> Array:
    """E (x_t - x*)^2 by coordinate under equal weights, for t = 0, ..., T; come of m without replacement."""
    clients = len(q.p)
    come = come or clients
    shrink = 1 - eta * q.h
    rho = 1 - shrink**tau
    walk = eta**2 * q.s[0] ** 2 / len(q.h) * sum(shrink ** (2 * k) for k in range(tau))
    fresh = eta_s**2 * (rho**2 * (clients - come) / (clients - 1) * q.scatter + walk) / come
    found = [(q.x0 - q.mean) ** 2]
    for _ in range(rounds):
        found.append((1 - eta_s * rho) ** 2 * found[-1] + fresh)
    return np.array(found)
