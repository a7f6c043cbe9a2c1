"""Default instances: where a theorem is held to account when no run is given.

Each theorem meets the problems of its own class at the largest step that it allows, and at smaller
ones: alike and unlike Hessians, with and without noise, one local step and many, short runs that have
paid nothing yet and long ones that sit on their floor, and losses that are not convex where it claims
those. A theorem that joins the catalogue gets them all without being named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import holds, largest, limit_at
from boundkit.verify.constants import constants_along
from boundkit.verify.engines import trajectory
from boundkit.verify.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.verify.run import Run, make_run

_CLIENTS, _DIMENSION = 8, 3
_DOUBLINGS = 24
_LONGEST = 20_000
"""Local steps of a run that has no exact moments; a rule for the steps may ask for more."""


def _alike() -> Problem:
    return Quadratic.random(
        _CLIENTS, _DIMENSION, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0)
    )


def _unlike() -> Problem:
    return Quadratic.random(_CLIENTS, _DIMENSION, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))


def _still() -> Problem:
    return Quadratic.random(_CLIENTS, _DIMENSION, seed=3, dense=True, spread=3.0, curvature=(0.05, 2.0))


def _steep() -> Problem:
    return Quadratic([4.0] * _CLIENTS, np.zeros((_CLIENTS, 1)))


def _bent() -> Problem:
    return SmoothNonconvex.random(_CLIENTS, _DIMENSION, seed=4, noise=0.5)


@dataclass(frozen=True)
class Design:
    """One instance: a problem, the settings, and the step as a fraction of the largest allowed."""

    name: str
    problem: Callable[[], Problem]
    tau: int
    fraction_present: float
    eta_s: float
    step: float
    rounds: int


DESIGNS = (
    Design("alike Hessians, noise", _alike, 8, 0.25, 1.0, 1.0, 200),
    Design("unlike Hessians, noise", _unlike, 8, 0.25, 2.0, 1.0, 200),
    Design("unlike Hessians, no noise, many steps", _still, 64, 1.0, 1.0, 1.0, 100),
    Design("unlike Hessians, one step", _unlike, 1, 0.5, 1.0, 0.3, 500),
    Design("one round", _still, 4, 0.5, 1.0, 1.0, 1),
    Design("alike clients, no error but the start", _steep, 4, 1.0, 1.0, 1.0, 20),
    Design("on the floor", _alike, 8, 0.25, 1.0, 0.1, 5000),
    Design("not convex, noise", _bent, 4, 0.25, 1.0, 1.0, 150),
    Design("not convex, no noise", _bent, 16, 1.0, 1.0, 0.3, 60),
)


def default_runs(theorem: Theorem, seed: int = 0) -> Iterator[tuple[str, Run]]:
    """The instances of the theorem's class, by name."""
    for design in DESIGNS:
        problem = design.problem()
        if "no noise" in design.name:
            problem.noise = 0.0
        if (theorem.assumes("convex") or theorem.assumes("strongly-convex")) and not problem.convexity()[0]:
            continue
        run = _run(theorem, design, problem, seed)
        if isinstance(problem, Quadratic) or run.rounds * (run.tau or 1) <= _LONGEST:
            yield design.name, run


def _run(theorem: Theorem, design: Design, problem: Problem, seed: int) -> Run:
    known = {
        q.name for q in (*theorem.quantities, *(s for r in theorem.rules.values() for s in r.free_symbols))
    }
    fraction = design.fraction_present if "C" in known else 1.0

    def at(
        eta: float, eta_s: float = design.eta_s if "eta_s" in known else 1.0, rounds: int = design.rounds
    ) -> Run:
        return make_run(
            theorem.algorithm,
            problem,
            rounds=rounds,
            eta=eta,
            eta_s=eta_s,
            local_steps=design.tau if "tau" in known and not theorem.assumes("one-local-step") else 1,
            participation={"kind": "uniform", "C": fraction} if fraction < 1 else "full",
            x0=np.full(problem.d, 2.0),
            seed=seed,
        )

    first = at(1e-6)
    values = {q.name: q.typical for q in theorem.quantities}
    limits = {s.name for condition in theorem.step_size for s in condition.free_symbols}
    known_early = problem.constants(first.x0)  # a run for the rest only where a step is limited by it
    found = (
        known_early if limits & {"sigma_g"} <= set(known_early) else constants_along(first, trajectory(first))
    )
    values |= {n: c.value for n, c in found.items()}
    values |= {"m": problem.m, "T": design.rounds, "tau": first.tau or 1, "eta_s": first.eta_s, "C": fraction}
    if theorem.rules:
        return _by_rules(theorem, values, at)
    return at(design.step * float(limit_at(largest(theorem), values)))


def _by_rules(theorem: Theorem, values: dict[str, float], at: Callable[..., Run]) -> Run:
    """The run at the theorem's own steps, long enough to meet its conditions."""
    for _ in range(_DOUBLINGS):
        if holds(theorem, values):
            break
        values["T"] *= 2
    steps = {q.name: float(evaluate(rule, values)) for q, rule in theorem.rules.items()}
    return at(**steps, rounds=int(values["T"]))
