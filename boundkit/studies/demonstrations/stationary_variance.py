"""Stationary variance about the optimum under client sampling and noise: FedAvg, FedVARP, SCAFFOLD, exact.

For F_i = ||x - e_i||^2/2 FedAvg's E||x - x*||^2 is, with rho = 1 - (1 - eta)^tau, n of m clients a round and
V the mean of ||e_i - mean e||^2,
    eta_s rho/(2 - eta_s rho) (m - n)/(n (m - 1)) V
    + eta_s eta sigma^2 (2 - rho)/(n (2 - eta) (2 - eta_s rho)).
Stored updates and control variates remove the first part, and keep some of the noise of earlier rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import ExactStateEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run

ALGORITHMS = ("fedavg", "fedvarp", "scaffold")


@dataclass(frozen=True)
class StationaryVariance:
    """At each number ``coming`` of clients a round: E||x - x*||^2 after many rounds, by algorithm.

    ``sampling`` and ``noise`` are the two parts of FedAvg's, by formula.
    """

    coming: Array
    variance: dict[str, Array]
    sampling: Array
    noise: Array


def stationary_variance(
    coming: tuple[int, ...] = (1, 2, 3, 4, 5, 6),
    *,
    m: int = 6,
    tau: int = 5,
    eta: float = 0.05,
    eta_s: float = 1.0,
    sigma: float = 1.0,
    d: int = 1,
    seed: int = 0,
) -> StationaryVariance:
    """m clients of one curvature; ``coming`` of them a round."""
    e = np.random.default_rng(seed).standard_normal((m, d))
    problem = Quadratic([1.0] * m, e, noise=sigma)
    V = float(((e - e.mean(axis=0)) ** 2).sum(axis=1).mean())
    n, rho = np.array(coming, dtype=np.float64), 1 - (1 - eta) ** tau

    def limit(name: str, count: int) -> float:
        run = make_run(name, problem, rounds=1, eta=eta, eta_s=eta_s, local_steps=tau,
                       participation={"kind": "uniform", "C": count / m})  # fmt: skip
        return ExactStateEngine(run).stationary()["distance_squared"]

    return StationaryVariance(
        n,
        {name: np.array([limit(name, count) for count in coming]) for name in ALGORITHMS},
        eta_s * rho / (2 - eta_s * rho) * (m - n) / (n * (m - 1)) * V,
        eta_s * eta * sigma**2 * (2 - rho) / (n * (2 - eta) * (2 - eta_s * rho)),
    )
