"""Error floors with equal Hessians under partial participation: 0 for FedVARP, positive for FedAvg.

With F_i = ||x - e_i||^2/2, no noise and n of m clients a round, rho = 1 - (1 - eta)^tau, and V the mean of
||e_i - mean e||^2, FedAvg has the stationary error E||x - x*||^2 = rho/(2 - rho) (m - n)/(n (m - 1)) V. The
error of FedVARP's stored updates, and of SCAFFOLD's control variates, is the movement of x since they were
stored, which tends to 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import ExactStateEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run

ALGORITHMS = ("fedavg", "fedvarp", "scaffold")
EVERYBODY = "fedavg, all"
"""The path of FedAvg under full participation."""


@dataclass(frozen=True)
class ErrorFloors:
    """At each of ``eta``: E||x - x*||^2 in the limit of many rounds, by algorithm, and FedAvg's by formula.

    ``floors_with`` and ``formula_with``: the same at the last eta, where ``coming`` = 1, ..., m come a round.
    ``paths``: E||x_t - x*||^2 for t = 0, ..., T at the last eta, by algorithm, and where all m come.
    """

    coming_usually: int
    tau: int
    eta: Array
    floors: dict[str, Array]
    formula: Array
    coming: Array
    floors_with: dict[str, Array]
    formula_with: Array
    paths: dict[str, Array]


def error_floors(
    eta: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1),
    *,
    m: int = 6,
    n: int = 2,
    tau: int = 5,
    rounds: int = 300,
    seed: int = 0,
) -> ErrorFloors:
    """m clients of one curvature on a line, n of them a round, exactly."""
    e = np.random.default_rng(seed).standard_normal((m, 1))
    problem = Quadratic([1.0] * m, e)
    V = float(((e - e.mean(axis=0)) ** 2).sum(axis=1).mean())
    steps, coming = np.array(eta), np.arange(1.0, m + 1)

    def exact(name: str, at: float, count: int) -> ExactStateEngine:
        return ExactStateEngine(
            make_run(name, problem, rounds=rounds, eta=at, local_steps=tau, x0=[3.0],
                     participation={"kind": "uniform", "C": count / m})
        )  # fmt: skip

    def floor(name: str, at: float, count: int) -> float:
        return exact(name, at, count).stationary()["distance_squared"]

    def path(name: str, count: int) -> Array:
        return exact(name, eta[-1], count).trajectory().mean("distance_squared")

    rho = 1 - (1 - steps) ** tau
    share = rho / (2 - rho) * V / (m - 1)
    return ErrorFloors(
        coming_usually=n,
        tau=tau,
        eta=steps,
        floors={name: np.array([floor(name, at, n) for at in eta]) for name in ALGORITHMS},
        formula=share * (m - n) / n,
        coming=coming,
        floors_with={name: np.array([floor(name, eta[-1], int(k)) for k in coming]) for name in ALGORITHMS},
        formula_with=share[-1] * (m - coming) / coming,
        paths={name: path(name, n) for name in ALGORITHMS} | {EVERYBODY: path("fedavg", m)},
    )
