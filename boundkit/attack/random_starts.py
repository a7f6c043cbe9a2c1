"""Random starts of a search: a problem of a family, and settings about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.candidate_run import shorter
from boundkit.attack.problem_families import FAMILIES, SAMPLED, Rng, families, works
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.verification.instance import Instance

MANY_STEPS, MANY_ROUNDS = 1e4, 3e3


def drawn(theorem: Theorem, rng: Rng, bases: Sequence[Instance] = ()) -> tuple[str, Instance]:
    """A random start, with the name of its family. ``bases``: plans whose settings are kept and varied.

    A theorem whose assumptions bring plans of their own is attacked from those; else any m, d, tau, C, T.
    """
    known = {q.name for q in theorem.quantities}
    base = bases[int(rng.integers(len(bases)))] if bases else None
    m = int(rng.integers(2, 7)) if base is None else base.problem.m
    d = int(rng.choice([1, 1, 2, 2, 3, 4])) if base is None else base.problem.d
    if base is not None and rng.random() < 0.5:
        return "own", shorter(theorem, _varied(rng, base))
    names = families(theorem)
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
            local_steps=_steps(theorem, rng, m, most) if works(theorem) else 1,
            present=int(rng.integers(1, m + 1)) / m if "C" in known else 1.0,
            eta_s=_server_step(theorem, rng) if "eta_s" in known else 1.0,
        )
    elif not theorem.rules and rng.random() < 0.5:
        plan = replace(plan, rounds=_rounds(rng))
    part = 1.0 if rng.random() < 0.6 else float(10 ** rng.uniform(-4, 0))
    if isinstance(plan.eta, dict):
        part = plan.step
    return name, shorter(theorem, replace(plan, x0=_start(rng, problem), step=part))


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


def _varied(rng: Rng, plan: Instance) -> Instance:
    """The same plan with another start, noise, length or part of the step."""
    problem = plan.problem.quiet()
    if rng.random() < 0.5 and plan.problem.parts is None:
        problem.noise = float(10 ** rng.uniform(-3, 2))
    x0 = plan.x0 if rng.random() < 0.5 else _start(rng, problem)
    part = plan.step if rng.random() < 0.5 or isinstance(plan.eta, dict) else float(10 ** rng.uniform(-3, 0))
    return replace(plan, problem=problem, x0=x0, step=part)
