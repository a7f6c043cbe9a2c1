r"""Client drift of FedAvg: the distance of its fixed point from x* grows with the number of local steps.

Two clients in the plane, F_i = 1/2 (x - e_i)'H_i (x - e_i), steep in different directions. In a round
client i covers the part K_i = I - (I - eta H_i)^tau of the way to its minimiser e_i, so that FedAvg
converges to x with sum_i p_i K_i (x - e_i) = 0. At tau = 1, K_i = eta H_i: this is x*. At tau = infinity,
K_i = I: the mean of the clients' own minima, whatever their curvature. Where all H_i are the same, both
are one point.

Both runs take the same eta and the same number of gradients a client, so that tau alone differs: many short
rounds, or few long ones. At the same eta tau instead, the longer rounds take shorter steps, and less is left
of the drift, but not nothing: ``same product``.

Wang, Liu, Liang, Joshi, Poor, arXiv 2007.07481 (fixed points of local updates).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.studies.demonstrations._plane import (
    LocalStep,
    LossRow,
    bowl,
    bowls,
    local_path,
    rotated_hessian,
    steps_of,
)

SEVERAL = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500)
START = (1.2, -2.4)


@dataclass(frozen=True)
class FixedPointDistance:
    """``x1``, ``x2``: the exact fixed point at this ``tau``, and its ``distance`` to x*; ``same_product``:
    that at the step eta/tau."""

    tau: int
    x1: float
    x2: float
    distance: float
    same_product: float


@dataclass(frozen=True)
class ClientDrift:
    """``few`` and ``many``: x_t of the two runs, and each client's models in the first round and in one that
    begins at the fixed point. ``losses``: the clients' and F. ``settled``: over tau.
    ``gradients``: a client's, in all."""

    few: list[LocalStep]
    many: list[LocalStep]
    losses: list[LossRow]
    settled: list[FixedPointDistance]
    tau_few: int
    tau_many: int
    eta: float
    gradients: int
    distance_few: float
    distance_many: float


def client_drift(
    tau: tuple[int, int] = (1, 20),
    eta: float = 0.2,
    gradients: int = 240,
    several: Sequence[int] = SEVERAL,
) -> ClientDrift:
    """Two clients of the same weight from one start, without noise."""
    problem = two_valleys()
    assert problem.optimum is not None
    few, many = (_run(problem, steps, eta, gradients // steps) for steps in tau)
    mean = bowl("F", problem.mean_hessian, problem.optimum)
    settled = [_settled(problem, steps, eta) for steps in sorted({*several, *tau})]
    distance = {one.tau: one.distance for one in settled}
    return ClientDrift(
        [*_trajectories(few)], [*_trajectories(many)], [*bowls(problem), mean], settled, *tau, eta, gradients,
        distance[tau[0]], distance[tau[1]],
    )  # fmt: skip


def two_valleys() -> Quadratic:
    """Two clients whose valleys cross, each ten times as steep across as along."""
    return Quadratic(
        [rotated_hessian(0.1, 1.0, 0.1), rotated_hessian(0.4, 1.0, 0.1)], [[-2.0, 0.0], [2.0, 0.0]]
    )


def _run(problem: Quadratic, tau: int, eta: float, rounds: int = 1) -> Run:
    return make_run("fedavg", problem, rounds=rounds, eta=eta, local_steps=tau, x0=START)


def _trajectories(run: Run) -> list[LocalStep]:
    """The server's path, and the clients' in a round from the start and in one from the fixed point."""
    assert run.tau is not None
    assert isinstance(run.problem, Quadratic)
    rows = [*steps_of("server", trajectory(run, "exact").x)]
    for where, x in (("start", run.x0), ("rest", fixed_point(run).points[0])):
        for i in range(run.problem.m):
            path = local_path(run.problem, i, x, run.eta, run.tau)
            rows += steps_of(f"client {i + 1} from {where}", path)
    return rows


def _settled(problem: Quadratic, tau: int, eta: float) -> FixedPointDistance:
    x = fixed_point(_run(problem, tau, eta)).points[0]
    finer = fixed_point(_run(problem, tau, eta / tau)).points[0]
    return FixedPointDistance(tau, float(x[0]), float(x[1]), _distance(problem, x), _distance(problem, finer))


def _distance(problem: Quadratic, x: Array) -> float:
    return float(np.linalg.norm(x - problem.centre))
