"""Asymptotic bias under random availability: claims on the limit of many rounds and small steps."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.vocabulary import SURROGATE_STATIONARY_GRADIENT
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families.availability import (
    CUTOFF,
    independent,
    server_options,
    weights_of_surrogate,
)
from boundkit.verification.family import Family
from boundkit.verification.instance import Instance
from boundkit.verification.surrogate import surrogate_objective

_FIRST, _HALVINGS = 0.02, 4
"""eta L tau of the largest step size of the extrapolation, and the number of step sizes."""
_ROUNDING = 1e-11


def small_step_limit(run: Run) -> tuple[Array, float]:
    """lim_{eta -> 0} lim_{T -> inf} E x_T, with an estimate of its error.

    Richardson extrapolation of the fixed points of the expected round at halved step sizes: their error is a
    power series in eta. Raises BoundkitError where there is no fixed point.
    """
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"the limit is not computed for a {run.problem.kind} problem.")
    L = run.problem.constants(run.x0)["L"].value
    first = _FIRST / (L * float(run.local_steps.max()))
    rows = []
    for k in range(_HALVINGS):
        rows.append(fixed_point(replace(run, eta=first / 2**k, objectives={})).points.mean(axis=0))
    previous = rows[-1]
    while len(rows) > 1:
        order = _HALVINGS - len(rows) + 1
        previous = rows[-1]
        rows = [fine + (fine - coarse) / (2**order - 1) for coarse, fine in pairwise(rows)]
    error = float(np.linalg.norm(rows[0] - previous))
    return rows[0], error if error > _ROUNDING * max(1.0, float(np.abs(rows[0]).max())) else 0.0


def limit_of_gradient(context: EvaluationContext) -> Estimate:
    """||grad F||^2 at the limit of small steps, with the error of the extrapolation.

    Where the claim is about the stationary point of the surrogate, at that point.
    """
    problem = context.run.problem
    if context.theorem.claim.name == SURROGATE_STATIONARY_GRADIENT.name:
        point, error = surrogate_objective(context.theorem, context.run).centre, 0.0
    else:
        point, error = small_step_limit(context.run)
    value = float(problem.observe(point)["gradient_norm_squared"])
    norm, L = value**0.5, problem.constants(context.run.x0)["L"].value
    return Estimate(value, max(norm - L * error, 0.0) ** 2, (norm + L * error) ** 2)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Two clients, many clients, rare participation, and gradients that attain the bound."""
    if theorem.claim.summary != "limit" or not theorem.assumes("bernoulli-availability"):
        return None
    two, five = np.array([0.9, 0.3]), np.linspace(0.1, 0.9, 5)
    rare = np.array([0.5, 0.01, 0.2])
    p = None if theorem.assumes("equal-weights") else [0.5, 0.1, 0.1, 0.3]
    four = np.array([0.2, 0.9, 0.4, 0.6])
    dense = Quadratic.random(5, 3, seed=7, dense=True, curvature=(0.2, 1.0))

    def instance(name: str, problem: Quadratic, q: Array, tau: int = 1, cutoff: int = CUTOFF) -> Instance:
        L = float(np.abs(problem.spectrum).max())
        options = server_options(theorem, q, cutoff=cutoff)
        return Instance(
            name,
            problem,
            tau,
            eta=0.1 / (L * tau),
            rounds=20,
            participation=independent(q),
            options=options,
            x0=np.zeros(problem.d),
        )

    weights = np.full(4, 0.25) if p is None else np.array(p)
    w = weights_of_surrogate(theorem, four)
    attained = Quadratic([2.0] * 4, -((weights - w) / w)[:, None] @ np.ones((1, 2)), p)
    return [
        instance("two clients, minima at 0 and 100", Quadratic([1.0] * 2, [[0.0], [100.0]]), two),
        instance("gradients that attain it", attained, four),
        instance("different Hessians", dense, five, tau=1),
        instance("different Hessians, many steps", dense, five, tau=8),
        instance(
            "a rarely available client",
            Quadratic([1.0, 0.5, 2.0], [[0.0], [5.0], [-1.0]]),
            rare,
            2,
            50,
        ),
        instance(
            "unequal weights, noise",
            Quadratic.random(4, 2, seed=8, spread=2.0, dense=True, noise=1.0)
            if p is None
            else _with_weights(p),
            four,
            tau=3,
            cutoff=2,
        ),
        instance("as often, all of them", dense, np.full(5, 0.4), tau=2),
    ]


def _with_weights(p: list[float]) -> Quadratic:
    some = Quadratic.random(4, 2, seed=8, spread=2.0, dense=True)
    return Quadratic(list(some.H), some.e, p, noise=1.0)


FAMILY = Family(instances=default_instances, limits={"gradient_norm_squared": limit_of_gradient})
