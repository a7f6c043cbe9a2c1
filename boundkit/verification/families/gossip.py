"""Clients on a network without a server: decentralised local SGD."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.algorithms.gossip_sgd import GossipSGD
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance


def kept_spread(run: Run) -> float:
    """The norm of W less the average.

    Raises BoundkitError for an algorithm without a gossip matrix.
    """
    if not isinstance(run.algorithm, GossipSGD):
        raise BoundkitError(f"{run.algorithm.name} has no gossip matrix.")
    m = run.problem.m
    return float(np.abs(np.linalg.eigvalsh(run.algorithm.gossip_matrix(m) - 1 / m)).max())


def _mixes(theorem: Theorem, run: Run) -> str:
    try:
        kept = kept_spread(run)
    except BoundkitError as reason:
        return f"it needs a gossip matrix: {str(reason).rstrip('.')}"
    return "" if kept < 1 - 1e-12 else "it needs a connected network"


def _gossip(context: EvaluationContext) -> Constant:
    return Constant(kept_spread(context.run), "exact", "second eigenvalue of the gossip matrix")


def ring(m: int) -> Array:
    """The matrix of a ring, 1/3 for each client and its two neighbours."""
    W = np.eye(m) / 3
    for i in range(m):
        W[i, (i + 1) % m] += 1 / 3
        W[i, i - 1] += 1 / 3
    return W


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Fast and slow gossip, a ring, heterogeneous and homogeneous clients."""
    if not theorem.assumes("gossip"):
        return None
    heterogeneous = Quadratic.random(4, 2, 2, dense=True, spread=2.0, curvature=(0.2, 1.0))
    noisy = Quadratic.random(4, 2, 3, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0))
    indefinite = Quadratic([1.0, -0.9], [[1.0], [-1.0]])
    nonconvex = SmoothNonconvex.random(4, 3, seed=4, noise=0.5)
    steep = Quadratic([4.0] * 2, np.zeros((2, 1)))

    def instance(name: str, problem: Problem, tau: int, kept: float, rounds: int, **more: Any) -> Instance:
        settings: dict[str, Any] = {"options": {"mixing": kept}, "x0": np.full(problem.d, 2.0)} | more
        return Instance(name, problem, tau, rounds=rounds, **settings)

    return [
        instance("heterogeneous clients, slow gossip", heterogeneous, 5, 0.9, 100),
        instance("heterogeneous clients, fast gossip", heterogeneous, 5, 0.2, 100),
        instance("noise", noisy, 5, 0.5, 60),
        instance("noise, on a ring", noisy, 2, 0.0, 60, options={"matrix": ring(4).tolist()}),
        instance("opposite curvatures", indefinite, 10, 0.9, 100, x0=[0.0]),
        instance("not convex, noise", nonconvex, 4, 0.5, 40),
        instance("homogeneous clients", steep, 1, 0.0, 1),
        instance("one step a round", heterogeneous, 1, 0.5, 100),
    ]


FAMILY = Family(
    assumptions={vocabulary.GOSSIP: AssumptionRule(_mixes)},
    instances=default_instances,
    constants={notation.gossip: _gossip},
)
