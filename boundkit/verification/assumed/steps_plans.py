"""Plans of their own for steps that fall, late gradients, and rounds of varying length."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.verification.assumed.rule import Plan

_UNEQUAL = (0.35, 0.05, 0.2, 0.1, 0.25, 0.05)


def _unlike(noise: float, weights: tuple[float, ...] | None = None) -> Quadratic:
    drawn = Quadratic.random(6, 2, seed=5, curvature=(0.2, 1.0), spread=2.0, dense=True)
    return Quadratic(list(drawn.H), drawn.e, weights, noise=noise)


def _one_curvature(noise: float) -> Quadratic:
    return Quadratic([1.0] * 4, np.zeros((4, 2)), noise=noise)


def falling(theorem: Theorem) -> list[Plan]:
    """A start that is all there is to pay, noise alone, drift alone, who comes alone, and all of it."""
    p = _UNEQUAL if theorem.assumes("weighted-objective") else None
    some = 0.5 if "C" in {q.name for q in theorem.quantities} else 1.0
    shared = Quadratic([1.0] * 6, _unlike(0.0).e)
    plans = [
        Plan("one curvature, noise, one step", _one_curvature(1.0), 1, some, rounds=40, x0=np.zeros(2)),
        Plan("unlike Hessians, noise", _unlike(0.5, p), 8, some, rounds=25, x0=np.full(2, 2.0)),
        Plan("one round from afar", _one_curvature(0.0), 1, some, step=0.1, rounds=1, x0=np.full(2, 50.0)),
        Plan("unlike Hessians, no noise, many steps", _unlike(0.0, p), 20, rounds=12, x0=np.zeros(2)),
        Plan("unlike Hessians, one step, from afar", _unlike(0.0, p), 1, some, rounds=3, x0=np.full(2, 90.0)),
        Plan("a smaller step", _unlike(1.0, p), 4, some, step=0.3, rounds=25, x0=np.full(2, 2.0)),
    ]
    if some < 1:  # the clients that come are the only error
        plans.append(Plan("one curvature, unlike minimisers", shared, 1, some, rounds=40, x0=shared.centre))
    return plans


def _bowl(noise: float) -> Problem:
    return Quadratic([[1.0, 0.1]] * 4, np.zeros((4, 2)), noise=noise)


def _bent(noise: float) -> Problem:
    return SmoothNonconvex(np.zeros((4, 2)), noise=noise)


def late(theorem: Theorem) -> list[Plan]:
    """Gradients that are never late, always, and now and then; as late as clients that take turns."""
    turns = [[0], [1], [2], [3]]
    plans = [
        ("as late as clients that take turns", _bowl(1.0), 3, 200),
        ("not convex, noise, late now and then", _bent(0.5), [0, 5, 2, 5, 1], 150),
        ("no noise, always late", _bowl(0.0), 8, 60),
        ("never late", _bowl(1.0), 0, 200),
        ("very late, on the floor", _bowl(1.0), 20, 800),
        ("one update", _bowl(0.5), 4, 1),
        ("not convex, no noise, always late", _bent(0.0), 6, 100),
    ]
    return [
        Plan(name, problem, 1, rounds=rounds, options={"delays": delays}, x0=np.full(2, 3.0), schedule=turns)
        for name, problem, delays, rounds in plans
    ]


def lengths(theorem: Theorem) -> list[Plan]:
    """AdaComm from long rounds to short ones; without noise, with noise, and from rounds of one step."""
    plans = [
        ("rounds that get shorter", _bowl(0.0), 8, 2, 40),
        ("rounds that get shorter, noise", _bowl(1.0), 8, 5, 60),
        ("not convex, noise", _bent(1.0), 16, 4, 40),
        ("not convex, no noise", _bent(0.0), 12, 3, 40),
        ("one step a round", _bowl(0.5), 1, 1, 100),
        ("one round", _bowl(0.5), 4, 1, 1),
        ("asked after every round", _bowl(0.3), 20, 1, 40),
    ]
    return [
        Plan(name, problem, tau, rounds=rounds, options={"period": period}, x0=np.full(2, 3.0))
        for name, problem, tau, period, rounds in plans
    ]


def drifting(theorem: Theorem) -> list[Plan]:
    """Two clients on a line, many that are unlike, one Hessian for all, and losses that are no quadratics."""
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    shared = Quadratic.random(6, 2, seed=6, curvature=(0.2, 1.0), spread=1.0, shared=True)
    plans = [
        ("two on a line, many steps", line, 100, 1.0, 30),
        ("unlike Hessians, unequal weights", _unlike(0.0, _UNEQUAL), 20, 1.0, 40),
        ("unlike Hessians, a smaller step", _unlike(0.0), 10, 0.1, 60),
        ("a mean that does not drift", shared, 10, 1.0, 3),
        ("one step a round", _unlike(0.0, _UNEQUAL), 1, 0.5, 30),
        ("one round", _unlike(0.0), 5, 1.0, 1),
        ("a fixed point that is reached", line, 400, 0.5, 8),
    ]
    return [
        Plan(name, problem, tau, step=part, rounds=rounds, x0=np.full(problem.d, 3.0))
        for name, problem, tau, part, rounds in plans
    ]


def convex(theorem: Theorem) -> list[Plan]:
    """Clients whose gradients differ by the same vectors everywhere, with noise; others without."""
    shared = Quadratic.random(6, 2, seed=6, curvature=(0.2, 1.0), spread=1.0, shared=True, noise=1.0)
    plans = [
        ("one Hessian, noise", shared, 8, 1.0, 100),
        ("from afar by small steps", _one_curvature(0.0), 4, 0.1, 60),
        ("unlike Hessians, no noise", _unlike(0.0), 16, 1.0, 60),
        ("one curvature, noise, one step", _one_curvature(1.0), 1, 1.0, 200),
        ("one Hessian, noise, on the floor", shared, 4, 0.1, 2000),
        ("unlike Hessians, no noise, many small steps", _unlike(0.0), 64, 0.1, 20),
        ("one round from afar", _one_curvature(0.0), 4, 1.0, 1),
        ("alike clients, noise, many steps", _one_curvature(3.0), 64, 1.0, 30),
    ]
    return [
        Plan(name, problem, tau, step=part, rounds=rounds, x0=np.full(problem.d, 3.0))
        for name, problem, tau, part, rounds in plans
    ]
