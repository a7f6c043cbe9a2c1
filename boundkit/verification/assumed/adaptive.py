"""Servers and clients whose steps follow what they have seen: FedExP, FedAdagrad, FedAdam, local solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule


def _longer(theorem: Theorem, run: Run) -> str:
    """FedExP's step is one that the proof allows, and no other factor before it is."""
    return (
        "" if run.eta_s == 1 else f"the server's step is FedExP's own, and the run has eta_s = {run.eta_s:g}"
    )


def _bounded(theorem: Theorem, run: Run) -> str:
    return "" if run.problem.noise == 0 else "no coordinate may exceed G_inf, and Gaussian noise has no bound"


def designs(theorem: Theorem) -> Sequence[Plan]:
    """Plans for FedExP: where its steps grow long, where they stay at 1, and where they lead astray."""
    shared, free = {"epsilon": 0.0}, np.ones(8)
    found = [
        Plan(
            "one minimiser, each client sees one coordinate",
            _orthogonal(),
            4,
            rounds=60,
            x0=free,
            options=shared,
        ),
        Plan("low rank, one minimiser", _low_rank(), 4, rounds=10, x0=np.array([-0.4, 1.0]), options=shared),
        Plan("unlike Hessians, long steps", _unlike(), 8, rounds=150, x0=np.full(3, 2.0), options=shared),
        Plan("alike clients, no error but the start", _steep(), 4, rounds=30, x0=np.array([2.0])),
        Plan(
            "opposite clients, the floor alone",
            _opposite(),
            1,
            rounds=100,
            x0=np.array([0.01]),
            options=shared,
        ),
        Plan("one step each", _unlike(), 1, rounds=200, x0=np.full(3, 2.0), options={"epsilon": 1e-6}),
        Plan("one round", _unlike(), 4, rounds=1, x0=np.full(3, 2.0), options=shared),
        Plan("unlike Hessians, a tenth of the step", _unlike(), 8, step=0.1, rounds=300, x0=np.full(3, 2.0)),
        Plan("not convex", _bent(), 4, rounds=200, x0=np.full(3, 2.0), options=shared),
        Plan("not convex, many steps", _bent(), 16, rounds=60, x0=np.full(3, 2.0)),
    ]
    convex = theorem.assumes("convex")
    return [plan for plan in found if plan.problem.convexity()[0] or not convex]


def _orthogonal() -> Problem:
    return Quadratic(list(np.eye(8)), np.zeros((8, 8)))


def _low_rank() -> Problem:
    a = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]])
    return Quadratic([np.outer(v, v) for v in a], np.zeros((3, 2)))


def _unlike() -> Problem:
    return Quadratic.random(8, 3, seed=3, dense=True, spread=2.0, curvature=(0.05, 1.0))


def _steep() -> Problem:
    return Quadratic([4.0] * 8, np.zeros((8, 1)))


def _opposite() -> Problem:
    return Quadratic([1.0] * 8, [[1.0], [-1.0]] * 4)


def _bent() -> Problem:
    return SmoothNonconvex.random(8, 3, seed=4)


RULES = {
    "adaptive-server-step": Rule(_longer, lambda theorem, plan: replace(plan, eta_s=1.0), designs),
    "optimum-dissimilarity": MEASURED,
    "coordinate-noise": MEASURED,
    "bounded-coordinates": Rule(_bounded, lambda theorem, plan: replace(plan, problem=plan.problem.quiet())),
}
