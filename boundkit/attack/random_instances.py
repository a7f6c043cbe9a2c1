"""Random instances: a problem of a random family with random settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.candidate import shorten_plan
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import LogCosh, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.huber import Huber
from boundkit.verification.instance import Instance

Rng = np.random.Generator
Maker = Callable[[Rng, int, int], Problem]


def _spectrum(rng: Rng, d: int) -> Array:
    """Draw eigenvalues up to 1, with a condition number up to 10^4."""
    return np.asarray(10 ** (-4 * rng.random() * rng.random(d)))


def _turn(rng: Rng, h: Array) -> Array:
    Q = np.linalg.qr(rng.standard_normal((len(h), len(h))))[0]
    full = (Q * h) @ Q.T
    return np.asarray((full + full.T) / 2)


def _centres(rng: Rng, m: int, d: int) -> Array:
    """Draw opposite, random or common minimisers."""
    kind = rng.integers(4)
    if kind == 0:
        return np.zeros((m, d))
    if kind == 1:
        return np.outer((-1.0) ** np.arange(m), rng.standard_normal(d))
    return rng.standard_normal((m, d))


def equal_hessians(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics with a common Hessian."""
    h = _spectrum(rng, d)
    return Quadratic([h] * m, _centres(rng, m, d))


def flat_and_steep(rng: Rng, m: int, d: int) -> Problem:
    """Clients of small and of large curvature, each group with its minimiser; they drift most."""
    flat = 10 ** rng.uniform(-4, 0, d)
    steep, few = np.ones(d), int(rng.integers(1, m))
    e = rng.standard_normal((2, d))
    return Quadratic([flat] * few + [steep] * (m - few), np.repeat(e, [few, m - few], axis=0))


def diagonal_hessians(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics with different diagonal Hessians."""
    return Quadratic([_spectrum(rng, d) for _ in range(m)], _centres(rng, m, d))


def rotated_hessians(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics with different Hessians and different eigenvectors."""
    return Quadratic([_turn(rng, _spectrum(rng, d)) for _ in range(m)], _centres(rng, m, d))


def negative_curvature(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics of which some have negative curvature, though their mean has not."""
    h = np.array([_spectrum(rng, d) for _ in range(m)])
    low = rng.uniform(0, 1, d) * h[1:].sum(axis=0)
    h[0] = -np.minimum(low, 1.0)
    return Quadratic(list(h), _centres(rng, m, d))


def log_cosh(rng: Rng, m: int, d: int) -> Problem:
    """Log-cosh losses: convex, with linear growth."""
    return LogCosh([10 ** rng.uniform(-2, 0, d) for _ in range(m)], _centres(rng, m, d))


def huber(rng: Rng, m: int, d: int) -> Problem:
    """Asymmetric Huber losses, quadratic near the minimum and linear beyond, on one side or on both."""
    h = 10 ** rng.uniform(-2, 0, (m, d))
    ends = 10 ** rng.uniform(-2, 1, (2, m, d))
    if rng.random() < 0.5:
        ends[1] = np.inf
    least = float(h.min()) * float(10 ** rng.uniform(-4, 0))
    return Huber(h, ends[0], ends[1], _centres(rng, m, d), floor=least)


def smooth_nonconvex(rng: Rng, m: int, d: int) -> Problem:
    """Smooth non-convex losses, log(1 + x^2)/2 with a linear term."""
    return SmoothNonconvex.random(m, d, int(rng.integers(2**31)), spread=float(10 ** rng.uniform(-2, 1)))


FAMILIES: dict[str, Maker] = {
    "equal Hessians": equal_hessians,
    "flat and steep clients": flat_and_steep,
    "diagonal Hessians": diagonal_hessians,
    "turned Hessians": rotated_hessians,
    "bent down": negative_curvature,
    "log-cosh": log_cosh,
    "Huber": huber,
    "not convex": smooth_nonconvex,
}
SAMPLED = frozenset({"log-cosh", "not convex", "Huber"})
"""Families without exact moments, which take longer."""


def problem_families(theorem: Theorem) -> list[str]:
    """Return the names of the families within the theorem's function class."""
    strongly, convex = theorem.assumes("strongly-convex"), theorem.assumes("convex")
    without = {"bent down", "not convex"} if strongly or convex else set()
    if strongly:
        without |= {"log-cosh"}
    return [name for name in FAMILIES if name not in without]


def allows_local_steps(theorem: Theorem) -> bool:
    """Check whether clients may take more than one local step."""
    names = {q.name for q in theorem.quantities}
    many = bool(theorem.solvers) or "tau" in names or theorem.assumes("common-local-steps")
    return many and not theorem.assumes("one-local-step")


MANY_STEPS, MANY_ROUNDS = 1e4, 3e3


def draw_plan(theorem: Theorem, rng: Rng, bases: Sequence[Instance] = ()) -> tuple[str, Instance]:
    """Draw a random plan, with the name of its family. ``bases``: plans whose settings are varied.

    A theorem whose assumptions define plans is tested on variants of those; others with any m, d, tau, C and
    T.
    """
    constants = {q.name for q in theorem.quantities}
    base = bases[int(rng.integers(len(bases)))] if bases else None
    m = int(rng.integers(2, 7)) if base is None else base.problem.m
    d = int(rng.choice([1, 1, 2, 2, 3, 4])) if base is None else base.problem.d
    if base is not None and rng.random() < 0.5:
        return "own", shorten_plan(theorem, _varied(rng, base))
    names = problem_families(theorem)
    odds = np.array([1.0 if name in SAMPLED else 4.0 for name in names])
    name = str(rng.choice(names, p=odds / odds.sum()))
    problem = _weighed(theorem, rng, FAMILIES[name](rng, m, d))
    if rng.random() < 0.5:
        problem.noise = float(10 ** rng.uniform(-3, 2))
    plan = (
        Instance(name, problem, rounds=_rounds(rng, 150.0 if name in SAMPLED else MANY_ROUNDS))
        if base is None
        else replace(base, problem=problem)
    )
    if base is None:
        most = 30.0 if name in SAMPLED else 1e3 if theorem.solvers else MANY_STEPS
        plan = replace(
            plan,
            local_steps=_steps(theorem, rng, m, most) if allows_local_steps(theorem) else 1,
            present=int(rng.integers(1, m + 1)) / m if "C" in constants else 1.0,
            eta_s=_server_step(theorem, rng) if "eta_s" in constants else 1.0,
        )
    elif not theorem.rules and rng.random() < 0.5:
        plan = replace(plan, rounds=_rounds(rng))
    part = 1.0 if rng.random() < 0.6 else float(10 ** rng.uniform(-4, 0))
    if isinstance(plan.eta, dict):
        part = plan.step
    return name, shorten_plan(theorem, replace(plan, x0=_start(rng, problem), step=part))


def _server_step(theorem: Theorem, rng: Rng) -> float:
    least = 0.0 if theorem.assumes("server-step-at-least-one") else -1.0
    return 1.0 if rng.random() < 0.5 else float(10 ** rng.uniform(least, 2))


def _rounds(rng: Rng, most: float = MANY_ROUNDS) -> int:
    return round(float(most ** rng.random()))


def _steps(theorem: Theorem, rng: Rng, m: int, most: float) -> Any:
    if theorem.solvers and rng.random() < 0.7:
        return [round(float(most ** rng.random())) for _ in range(m)]
    return round(float(most ** rng.random()))


def _start(rng: Rng, problem: Problem) -> Array:
    """Draw an initial point at the optimum, near it or far from it."""
    if rng.random() < 0.3:
        return np.array(problem.centre, dtype=np.float64)
    return np.asarray(problem.centre + 10 ** rng.uniform(-3, 2) * rng.standard_normal(problem.d))


def _weighed(theorem: Theorem, rng: Rng, problem: Problem) -> Problem:
    """Reweight the clients at random, where the theorem allows weights."""
    if theorem.assumes("equal-weights") or not isinstance(problem, Quadratic) or rng.random() < 0.5:
        return problem
    if not (theorem.assumes("weighted-objective") or theorem.solvers):
        return problem
    p = rng.dirichlet(np.full(problem.m, 1.0)) * 0.98 + 0.02 / problem.m
    return problem.reweighted(p / p.sum())


def _varied(rng: Rng, plan: Instance) -> Instance:
    """Return the plan with another initial point, noise, number of rounds or fraction of the step size."""
    problem = plan.problem.without_noise()
    if rng.random() < 0.5 and plan.problem.parts is None:
        problem.noise = float(10 ** rng.uniform(-3, 2))
    x0 = plan.x0 if rng.random() < 0.5 else _start(rng, problem)
    part = plan.step if rng.random() < 0.5 or isinstance(plan.eta, dict) else float(10 ** rng.uniform(-3, 0))
    return replace(plan, problem=problem, x0=x0, step=part)
