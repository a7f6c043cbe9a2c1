"""Families of random starts: problems of every kind that a theorem speaks of, and settings about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.verify.assumed import Plan
from boundkit.verify.problems import LogCosh, Problem, Quadratic, SmoothNonconvex
from boundkit.verify.problems.base import Array

Rng = np.random.Generator
Maker = Callable[[Rng, int, int], Problem]
MANY_STEPS, MANY_ROUNDS = 1e4, 3e3


def drawn(theorem: Theorem, rng: Rng, bases: Sequence[Plan] = ()) -> tuple[str, Plan]:
    """A random start, with the name of its family. ``bases``: plans whose settings are kept and varied.

    A theorem whose assumptions bring plans of their own is attacked from those; else any m, d, tau, C, T.
    """
    known = {q.name for q in theorem.quantities}
    base = bases[int(rng.integers(len(bases)))] if bases else None
    m = int(rng.integers(2, 7)) if base is None else base.problem.m
    d = int(rng.choice([1, 1, 2, 2, 3, 4])) if base is None else base.problem.d
    if base is not None and rng.random() < 0.5:
        return "own", _varied(rng, base)
    names = families(theorem)
    odds = np.array([1.0 if name in SAMPLED else 4.0 for name in names])
    name = str(rng.choice(names, p=odds / odds.sum()))
    problem = _weighed(theorem, rng, FAMILIES[name](rng, m, d))
    if rng.random() < 0.5:
        problem.noise = float(10 ** rng.uniform(-3, 2))
    plan = (
        Plan(name, problem, rounds=_rounds(rng, 150.0 if name in SAMPLED else MANY_ROUNDS))
        if base is None
        else replace(base, problem=problem)
    )
    if base is None:
        moments = isinstance(problem, Quadratic)
        plan = replace(
            plan,
            local_steps=_steps(theorem, rng, m, MANY_STEPS if moments else 30) if works(theorem) else 1,
            present=int(rng.integers(1, m + 1)) / m if "C" in known else 1.0,
            eta_s=float(10 ** rng.uniform(-1 + theorem.assumes("server-step-at-least-one"), 2))
            if "eta_s" in known and rng.random() < 0.5
            else 1.0,
        )
    elif not theorem.rules and rng.random() < 0.5:
        plan = replace(plan, rounds=_rounds(rng))
    part = 1.0 if rng.random() < 0.6 else float(10 ** rng.uniform(-4, 0))
    if isinstance(plan.eta, dict):
        part = plan.step
    return name, replace(plan, x0=_start(rng, problem), step=part)


def families(theorem: Theorem) -> list[str]:
    """The families of the theorem's function class."""
    strongly, convex = theorem.assumes("strongly-convex"), theorem.assumes("convex")
    without = {"bent down", "not convex"} if strongly or convex else set()
    if strongly:
        without |= {"log-cosh"}
    return [name for name in FAMILIES if name not in without]


def works(theorem: Theorem) -> bool:
    """Whether clients may take more than one local step."""
    names = {q.name for q in theorem.quantities}
    many = bool(theorem.solvers) or "tau" in names or theorem.assumes("common-local-steps")
    return many and not theorem.assumes("one-local-step")


def _rounds(rng: Rng, most: float = MANY_ROUNDS) -> int:
    return round(float(most ** rng.random()))


def _steps(theorem: Theorem, rng: Rng, m: int, most: float) -> Any:
    if theorem.solvers and rng.random() < 0.7:
        return [round(float(most ** rng.random())) for _ in range(m)]
    return round(float(most ** rng.random()))


def _start(rng: Rng, problem: Problem) -> Array:
    """At the optimum, near it or far from it."""
    if rng.random() < 0.3:
        return np.array(problem.centre, dtype=np.float64)
    return np.asarray(problem.centre + 10 ** rng.uniform(-3, 2) * rng.standard_normal(problem.d))


def _weighed(theorem: Theorem, rng: Rng, problem: Problem) -> Problem:
    """The problem in another mean, where the theorem weighs its clients."""
    if theorem.assumes("equal-weights") or not isinstance(problem, Quadratic) or rng.random() < 0.5:
        return problem
    if not (theorem.assumes("weighted-objective") or theorem.solvers):
        return problem
    p = rng.dirichlet(np.full(problem.m, 1.0)) * 0.98 + 0.02 / problem.m
    return problem.reweighted(p / p.sum())


def _varied(rng: Rng, plan: Plan) -> Plan:
    """The same plan with another start, noise, length or part of the step."""
    problem = plan.problem.quiet()
    if rng.random() < 0.5 and plan.problem.parts is None:
        problem.noise = float(10 ** rng.uniform(-3, 2))
    x0 = plan.x0 if rng.random() < 0.5 else _start(rng, problem)
    part = plan.step if rng.random() < 0.5 or isinstance(plan.eta, dict) else float(10 ** rng.uniform(-3, 0))
    return replace(plan, problem=problem, x0=x0, step=part)


def _spectrum(rng: Rng, d: int) -> Array:
    """Eigenvalues up to 1, with a condition number up to 10^4."""
    return np.asarray(10 ** (-4 * rng.random() * rng.random(d)))


def _turn(rng: Rng, h: Array) -> Array:
    Q = np.linalg.qr(rng.standard_normal((len(h), len(h))))[0]
    full = (Q * h) @ Q.T
    return np.asarray((full + full.T) / 2)


def _centres(rng: Rng, m: int, d: int) -> Array:
    """Opposite, random or common minimisers."""
    kind = rng.integers(4)
    if kind == 0:
        return np.zeros((m, d))
    if kind == 1:
        return np.outer((-1.0) ** np.arange(m), rng.standard_normal(d))
    return rng.standard_normal((m, d))


def alike_hessians(rng: Rng, m: int, d: int) -> Problem:
    """One Hessian for all clients."""
    h = _spectrum(rng, d)
    return Quadratic([h] * m, _centres(rng, m, d))


def two_kinds(rng: Rng, m: int, d: int) -> Problem:
    """Flat clients and steep ones, with a minimiser a kind: the extremes of client drift."""
    flat = 10 ** rng.uniform(-4, 0, d)
    steep, few = np.ones(d), int(rng.integers(1, m))
    e = rng.standard_normal((2, d))
    return Quadratic([flat] * few + [steep] * (m - few), np.repeat(e, [few, m - few], axis=0))


def diagonal(rng: Rng, m: int, d: int) -> Problem:
    """Unlike Hessians along common axes."""
    return Quadratic([_spectrum(rng, d) for _ in range(m)], _centres(rng, m, d))


def turned(rng: Rng, m: int, d: int) -> Problem:
    """Unlike Hessians, each with axes of its own."""
    return Quadratic([_turn(rng, _spectrum(rng, d)) for _ in range(m)], _centres(rng, m, d))


def bent_down(rng: Rng, m: int, d: int) -> Problem:
    """Quadratics of which some bend down, though their mean does not."""
    h = np.array([_spectrum(rng, d) for _ in range(m)])
    low = rng.uniform(0, 1, d) * h[1:].sum(axis=0)
    h[0] = -np.minimum(low, 1.0)
    return Quadratic(list(h), _centres(rng, m, d))


def log_cosh(rng: Rng, m: int, d: int) -> Problem:
    """Losses that grow like their argument: flat far away, though convex."""
    return LogCosh([10 ** rng.uniform(-2, 0, d) for _ in range(m)], _centres(rng, m, d))


def not_convex(rng: Rng, m: int, d: int) -> Problem:
    """log(1 + x^2)/2, tilted."""
    return SmoothNonconvex.random(m, d, int(rng.integers(2**31)), spread=float(10 ** rng.uniform(-2, 1)))


FAMILIES: dict[str, Maker] = {
    "alike Hessians": alike_hessians,
    "flat and steep clients": two_kinds,
    "diagonal Hessians": diagonal,
    "turned Hessians": turned,
    "bent down": bent_down,
    "log-cosh": log_cosh,
    "not convex": not_convex,
}
SAMPLED = frozenset({"log-cosh", "not convex"})
"""Families without exact moments, which take longer."""
