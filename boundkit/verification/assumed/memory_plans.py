"""Plans for algorithms that remember their clients: few clients, so that their moments are exact.

Besides the usual attacks: a start at the optimum, where nothing is to be paid but memories and controls that
are wrong; one client of many in a round, whose memories are the oldest; first controls that are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.verification.assumed.rule import Plan

_CLIENTS = 6


def _alike(noise: float = 0.5) -> Problem:
    return Quadratic.random(_CLIENTS, 2, 1, dense=True, shared=True, noise=noise, curvature=(0.2, 1.0))


def _unlike(noise: float = 0.5, spread: float = 1.0) -> Problem:
    return Quadratic.random(_CLIENTS, 2, 2, dense=True, noise=noise, spread=spread, curvature=(0.1, 1.0))


def _steep() -> Problem:
    return Quadratic([4.0] * _CLIENTS, np.zeros((_CLIENTS, 1)))


def _bent(noise: float) -> Problem:
    return SmoothNonconvex.random(_CLIENTS, 3, seed=4, noise=noise)


def _at_optimum(problem: Problem) -> np.ndarray:
    assert problem.optimum is not None
    return problem.optimum


def remembering(theorem: Theorem) -> Sequence[Plan]:
    """Plans at any step, of any share of clients."""
    far = _unlike(noise=0.0, spread=3.0)
    third, half = 1 / 3, 0.5
    found = [
        Plan("alike Hessians, noise", _alike(), 8, third, rounds=200),
        Plan("unlike Hessians, noise", _unlike(), 8, third, eta_s=2.0, rounds=200),
        Plan("not convex, noise", _bent(0.5), 4, half, rounds=150),
        Plan("unlike Hessians, no noise, many steps", far, 64, 1.0, rounds=100),
        Plan("unlike Hessians, one step", _unlike(), 1, half, step=0.3, rounds=500),
        Plan("one client a round", far, 4, 1 / _CLIENTS, rounds=300),
        Plan("one round", far, 4, half, rounds=1),
        Plan("from the optimum, wrong memories", far, 16, third, rounds=40, x0=_at_optimum(far)),
        Plan("alike clients, no error but the start", _steep(), 4, 1.0, rounds=20),
        Plan("on the floor", _alike(), 8, third, step=0.1, rounds=2000),
        Plan("not convex, no noise", _bent(0.0), 16, 1.0, step=0.3, rounds=60),
    ]
    if theorem.algorithm == "scaffold":
        right = {"initial_controls": "gradient"}
        found.append(Plan("right first controls", far, 16, half, rounds=60, options=right))
        found.append(Plan("noisy first controls", _unlike(1.0), 4, half, eta_s=2.0, rounds=60, options=right))
    if theorem.algorithm == "clusterfedvarp":
        near = np.repeat(np.arange(3.0) - 1, 2)[:, None] + 0.05 * np.tile([1.0, -1.0], 3)[:, None]
        found.append(Plan("like neighbours", Quadratic([1.0] * _CLIENTS, near), 4, third, rounds=2000))
        one = {"clusters": [list(range(_CLIENTS))]}
        found.append(Plan("one cluster of all", _unlike(), 4, third, rounds=200, options=one))
    if theorem.assumes("full-participation"):
        found = [plan for plan in found if plan.name != "one client a round"]
    if theorem.assumes("convex") or theorem.assumes("strongly-convex"):
        found = [plan for plan in found if plan.problem.convexity()[0]]
    return [replace(plan, x0=np.full(plan.problem.d, 2.0) if plan.x0 is None else plan.x0) for plan in found]


def by_rules(theorem: Theorem) -> Sequence[Plan]:
    """Plans where the steps follow T: half or all of the clients come, so that T need not be long."""
    plans = (
        Plan("alike Hessians, noise", _alike(), 2, 0.5, rounds=300),
        Plan("unlike Hessians, noise", _unlike(), 4, 0.5, rounds=300),
        Plan("not convex, noise", SmoothNonconvex.random(4, 2, seed=4, noise=0.5), 2, 0.5, rounds=300),
        Plan("unlike Hessians, no noise, many steps", _unlike(0.0, 3.0), 16, 1.0, rounds=300),
        Plan("unlike Hessians, one step", _unlike(), 1, 0.5, rounds=256),
        Plan("one client a round", Quadratic.random(3, 1, 3, spread=3.0), 1, 1 / 3, rounds=600),
        Plan("alike clients, no error but the start", _steep(), 1, 1.0, rounds=100),
        Plan("much noise, many rounds", _alike(5.0), 2, 0.5, rounds=3000),
        Plan("not convex, no noise", SmoothNonconvex.random(4, 2, seed=4), 2, 1.0, rounds=200),
    )
    return [replace(plan, x0=np.full(plan.problem.d, 2.0)) for plan in plans]
