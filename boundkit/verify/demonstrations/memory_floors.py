"""What a memory removes: FedVARP's floor is 0 where clients bend alike, and FedAvg's is not.

With F_i = ||x - e_i||^2/2, no noise and n of m clients a round, rho = 1 - (1 - eta)^tau, and V the mean of
||e_i - mean e||^2, FedAvg goes on at E||x - x*||^2 = rho/(2 - rho) (m - n)/(n (m - 1)) V for ever. What
FedVARP remembers of a client is wrong by how far x has moved since, and SCAFFOLD's controls likewise: that
dies out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.verify.engines import ExactWhole
from boundkit.verify.problems import Quadratic
from boundkit.verify.problems.base import Array
from boundkit.verify.run import Run, make_run

ALGORITHMS = ("fedavg", "fedvarp", "scaffold")


@dataclass(frozen=True)
class MemoryFloors:
    """At each of ``eta``: E||x - x*||^2 in the limit of many rounds, by algorithm, and FedAvg's by formula.

    ``paths``: E||x_t - x*||^2 for t = 0, ..., T at the last of ``eta``, by algorithm.
    """

    eta: Array
    floors: dict[str, Array]
    formula: Array
    paths: dict[str, Array]


def memory_floors(
    eta: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1),
    *,
    m: int = 6,
    n: int = 2,
    tau: int = 5,
    rounds: int = 300,
    seed: int = 0,
) -> MemoryFloors:
    """m clients of one curvature on a line, n of them a round, exactly."""
    e = np.random.default_rng(seed).standard_normal((m, 1))
    problem = Quadratic([1.0] * m, e)
    V = float(((e - e.mean(axis=0)) ** 2).sum(axis=1).mean())
    rho = 1 - (1 - np.array(eta)) ** tau

    def run(name: str, at: float) -> Run:
        return make_run(name, problem, rounds=rounds, eta=at, local_steps=tau, x0=[3.0],
                        participation={"kind": "uniform", "C": n / m})  # fmt: skip

    floors = {
        name: np.array([ExactWhole(run(name, at)).stationary()["distance_squared"] for at in eta])
        for name in ALGORITHMS
    }
    paths = {
        name: ExactWhole(run(name, eta[-1])).trajectory().mean("distance_squared") for name in ALGORITHMS
    }
    return MemoryFloors(np.array(eta), floors, rho / (2 - rho) * (m - n) / (n * (m - 1)) * V, paths)
