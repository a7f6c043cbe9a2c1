"""Average drift at the optimum: FedAvg without noise, and the limit of many rounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.participation import Full
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families.decaying_steps import UNEQUAL_WEIGHTS, heterogeneous
from boundkit.verification.family import Family
from boundkit.verification.instance import Instance

_ROUNDING = 1e-14
_MOST_ROUNDS = 100_000
_CONVERGED = 1e-13


def round_without_noise(run: Run, x: Array) -> Array:
    """The server's model after one round of all clients without noise."""
    noiseless = replace(
        run,
        problem=run.problem.without_noise(),
        participation=Full(run.problem.m),
        rounds=1,
        x0=x,
        objectives={},
        virtual=False,
    )
    return np.asarray(StepEngine(noiseless).trajectory().x[-1])


def _drift_star(context: EvaluationContext) -> Constant:
    run = context.run
    optimum = run.problem.optimum
    if optimum is None:
        raise BoundkitError("the drift at the optimum needs a known and unique optimum.")
    if run.tau is None or run.offset is not None:
        raise BoundkitError("the drift at the optimum needs one number of local steps and one step size.")
    moved = float(np.linalg.norm(round_without_noise(run, optimum) - optimum))
    if moved <= _ROUNDING * max(1.0, float(np.linalg.norm(optimum))):
        moved = 0.0
    return Constant(moved / (run.eta * run.tau), "exact", "||sum p_i (x* - x_i^tau)||/(eta tau), from x*")


def distance_of_fixed_point(context: EvaluationContext) -> Estimate:
    """||xt - x*|| where xt is a fixed point of a round without noise.

    By linear algebra on quadratics; elsewhere by iterating rounds until they no longer move the model.
    """
    run = context.run
    optimum = run.problem.optimum
    if optimum is None:
        raise BoundkitError("this problem has no unique minimum.")
    if isinstance(run.problem, Quadratic):
        value = float(np.linalg.norm(fixed_point(run).points[0] - optimum))
        return Estimate(value, value, value)
    if run.problem.large:
        raise BoundkitError("the fixed point of rounds without noise is not computed for so many weights.")
    x = context.trajectory.x[-1]
    for _ in range(_MOST_ROUNDS):
        following = round_without_noise(run, x)
        moved = float(np.linalg.norm(following - x))
        x = following
        if moved <= _CONVERGED * max(1.0, float(np.linalg.norm(x))):
            value = float(np.linalg.norm(x - optimum))
            return Estimate(value, value, value)
    raise BoundkitError(f"the run has not converged after {_MOST_ROUNDS:,} rounds.")


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Two clients on a line, heterogeneous clients, and clients with one Hessian."""
    if notation.drift_star not in theorem.quantities:
        return None
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    shared = Quadratic.random(6, 2, seed=6, curvature=(0.2, 1.0), spread=1.0, shared=True)
    instances = [
        ("two on a line, many steps", line, 100, 1.0, 30),
        ("different Hessians, unequal weights", heterogeneous(0.0, UNEQUAL_WEIGHTS), 20, 1.0, 40),
        ("different Hessians, a smaller step", heterogeneous(0.0), 10, 0.1, 60),
        ("a mean that does not drift", shared, 10, 1.0, 3),
        ("one step a round", heterogeneous(0.0, UNEQUAL_WEIGHTS), 1, 0.5, 30),
        ("one round", heterogeneous(0.0), 5, 1.0, 1),
        ("a fixed point that is reached", line, 400, 0.5, 8),
    ]
    return [
        Instance(name, problem, tau, step=part, rounds=rounds, x0=np.full(problem.d, 3.0))
        for name, problem, tau, part, rounds in instances
    ]


FAMILY = Family(
    instances=default_instances,
    constants={notation.drift_star: _drift_star},
    limits={"distance": distance_of_fixed_point},
)
