r"""Unequal local steps: paths of FedAvg, FedProx, VRL-SGD and FedNova in the plane, and their objectives.

Three clients take 2, 5 and 9 local steps a round. As eta tends to 0, FedAvg converges to the optimum of the
surrogate sum_i v_i F_i with v_i proportional to p_i tau_i, not of F = sum_i p_i F_i. The proximal term of
FedProx shortens the longer updates more, so that at eta mu of order 1 it lies between (as eta tends to 0 at
fixed mu it converges to FedAvg's point). VRL-SGD removes the drift from every local update, and converges
exactly to the optimum of the surrogate, at any eta: it corrects the drift, not the objective. FedNova divides
each update by its number of steps: its objective is F, and the remaining error is the drift, which decreases
with eta.

Wang, Liu, Liang, Joshi, Poor, arXiv 2007.07481; Liang and others, arXiv 1912.12844 (VRL-SGD).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.simulation.engines import trajectory
from boundkit.simulation.objective import objective
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.studies.demonstrations._plane import (
    LocalStep,
    LossRow,
    bowl,
    bowls,
    rotated_hessian,
    steps_of,
)

TAU = (2, 5, 9)
OPTIONS: Mapping[str, dict[str, Any]] = {"fedavg": {}, "fedprox": {"mu": 3.0}, "vrlsgd": {}, "fednova": {}}
START = (1.0, 4.0)
_SMALLER = 10


@dataclass(frozen=True)
class SurrogateLimits:
    """``x1``, ``x2``: the exact fixed point; its ``distance`` to x*, and ``to_surrogate``: to the optimum of
    FedAvg's surrogate; ``small_distance``: of the fixed point at eta/10 to x*; ``radius``: the factor by
    which it settles in a round."""

    algorithm: str
    x1: float
    x2: float
    distance: float
    to_surrogate: float
    small_distance: float
    radius: float


@dataclass(frozen=True)
class SurrogatePaths:
    """``paths``: x_t of each algorithm. ``losses``: the clients', F, and FedAvg's surrogate. ``tau``, ``p``,
    ``weights``: the clients' local steps, their weights in F, and in the surrogate."""

    paths: list[LocalStep]
    ends: list[SurrogateLimits]
    losses: list[LossRow]
    tau: list[int]
    p: list[float]
    weights: list[float]
    eta: float
    mu: float
    rounds: int
    surrogate_distance: float


def surrogate_paths(eta: float = 0.08, rounds: int = 60) -> SurrogatePaths:
    """Three clients of the same weight from one start, without noise."""
    problem = three_clients()
    assert problem.optimum is not None
    runs = {name: _run(name, problem, eta, rounds) for name in OPTIONS}
    objectives = {name: objective(run) for name, run in runs.items()}
    goal, weights = objectives["fedavg"].surrogate_optimum, objectives["fedavg"].surrogate_weights
    assert goal is not None
    assert weights is not None
    ends = []
    for name, one in objectives.items():
        x = one.limit.points[0]
        finer = objective(_run(name, problem, eta / _SMALLER, 1)).distance_to_optimum
        away = float(np.linalg.norm(x - goal))
        settles = one.limit.spectral_radius
        distance = one.distance_to_optimum
        ends.append(SurrogateLimits(name, float(x[0]), float(x[1]), distance, away, finer, settles))
    return SurrogatePaths(
        [step for name, run in runs.items() for step in steps_of(name, trajectory(run, "step").x)],
        ends,
        [
            *bowls(problem),
            bowl("F", problem.mean_hessian, problem.optimum),
            bowl("surrogate", np.tensordot(weights, problem.H, 1), goal),
        ],
        list(TAU),
        problem.p.tolist(),
        weights.tolist(),
        eta,
        OPTIONS["fedprox"]["mu"],
        rounds,
        float(np.linalg.norm(goal - problem.optimum)),
    )


def three_clients() -> Quadratic:
    """Three clients around the origin, with a Hessian of its own each."""
    hessians = [
        rotated_hessian(0.1, 1.0, 0.4),
        rotated_hessian(0.45, 1.0, 0.5),
        rotated_hessian(0.8, 1.0, 0.4),
    ]
    return Quadratic(hessians, [[-3.0, 1.0], [0.0, -2.5], [3.5, 0.5]])


def _run(name: str, problem: Quadratic, eta: float, rounds: int) -> Run:
    return make_run(
        name, problem, rounds=rounds, eta=eta, local_steps=list(TAU), x0=START, options=OPTIONS[name]
    )
