"""Unequal numbers of local steps: fixed points of FedAvg, FedNova and SCAFFOLD.

FedAvg converges to the optimum of sum_i p_i tau_i F_i, however small the step. FedNova converges to x*
only as eta -> 0: its distance decreases as eta, the remaining client drift. SCAFFOLD (variant II) has the
fixed point x* at every stable step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run

ALGORITHMS = ("fedavg", "fednova", "scaffold")


@dataclass(frozen=True)
class UnequalLocalSteps:
    """At each of ``eta``: the distance of where the run rests to x*, and how fast it settles, by algorithm.

    ``radius``: the factor by which the mean settles in a round; a step is stable below 1. ``slope``: of
    log(distance) over log(eta) between the two smallest steps, by algorithm, where the distance is not 0.
    """

    eta: Array
    distance: dict[str, Array]
    radius: dict[str, Array]
    slope: dict[str, float]


def unequal_local_steps(
    eta: tuple[float, ...] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
    *,
    tau: tuple[int, ...] = (1, 3, 7, 12, 20),
    seed: int = 8,
) -> UnequalLocalSteps:
    """As many clients as ``tau`` has numbers, in two coordinates, with a Hessian of its own each."""
    problem = Quadratic.random(len(tau), 2, seed, dense=True, spread=2.0, curvature=(0.3, 1.0))
    distance: dict[str, Array] = {}
    radius: dict[str, Array] = {}
    for name in ALGORITHMS:
        limits = [fixed_point(make_run(name, problem, rounds=1, eta=a, local_steps=list(tau))) for a in eta]
        distance[name] = np.array([np.linalg.norm(f.points[0] - problem.centre) for f in limits])
        radius[name] = np.array([f.spectral_radius for f in limits])
    steps = np.log(np.array(eta[:2]))
    slope = {
        name: float(np.diff(np.log(v[:2]))[0] / np.diff(steps)[0])
        for name, v in distance.items()
        if v[:2].min() > 1e-9
    }
    return UnequalLocalSteps(np.array(eta), distance, radius, slope)
