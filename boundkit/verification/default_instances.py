"""Default instances: where a theorem is held to account when no run is given.

Each theorem meets the problems of its own class at the largest step that it allows, and at smaller
ones: alike and unlike Hessians, with and without noise, one local step and many, short runs that have
paid nothing yet and long ones that sit on their floor, and losses that are not convex where it claims
those. Its assumptions arrange each plan so that it meets them, or bring plans of their own. A theorem that
joins the catalogue gets them all without being named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import holds, largest, limit_at
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.local_iterate_moments import sees_inside
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.assumed import PLANS, RULES, Plan
from boundkit.verification.claims import prepared
from boundkit.verification.constants import constants_along, constants_before, settings

_CLIENTS, _DIMENSION = 8, 3
_DOUBLINGS = 24
_LONGEST = 20_000
"""Local steps of a run that has no exact moments; a rule for the steps may ask for more."""
_QUICK = 3


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
    """One usual instance: a problem, the settings, and the step as a fraction of the largest allowed."""

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
    Design("not convex, noise", _bent, 4, 0.25, 1.0, 1.0, 150),
    Design("unlike Hessians, no noise, many steps", _still, 64, 1.0, 1.0, 1.0, 100),
    Design("unlike Hessians, one step", _unlike, 1, 0.5, 1.0, 0.3, 500),
    Design("one round", _still, 4, 0.5, 1.0, 1.0, 1),
    Design("alike clients, no error but the start", _steep, 4, 1.0, 1.0, 1.0, 20),
    Design("on the floor", _alike, 8, 0.25, 1.0, 0.1, 5000),
    Design("not convex, no noise", _bent, 16, 1.0, 1.0, 0.3, 60),
)


def plans(theorem: Theorem, seed: int = 0) -> Iterator[Plan]:
    """The plans of the theorem's class, arranged so that they meet its assumptions."""
    rules = [RULES[a.name] for a in theorem.assumptions if a.name in RULES]
    own = PLANS.get(theorem.name, next((r.designs for r in rules if r.designs is not None), None))
    found: list[Plan] = list(own(theorem)) if own is not None else list(_usual(theorem))
    for plan in found:
        arranged: Plan | None = replace(plan, seed=seed)
        for rule in rules:
            if arranged is not None and rule.arrange is not None:
                arranged = rule.arrange(theorem, arranged)
        if arranged is not None:
            yield arranged


def default_runs(theorem: Theorem, seed: int = 0, quick: bool = False) -> Iterator[tuple[str, Run]]:
    """The instances of the theorem's class, by name; the first few where it must be ``quick``."""
    for count, plan in enumerate(plans(theorem, seed)):
        if quick and count == _QUICK:
            return
        run = stepped(theorem, plan)
        moments = isinstance(run.problem, Quadratic) and (sees_inside(run) or not run.looks_inside)
        if moments or run.rounds * int(run.local_steps.max()) <= _LONGEST:
            yield plan.name, run


def stepped(theorem: Theorem, plan: Plan) -> Run:
    """The run of a plan at the step that the theorem allows, or sets by a rule.

    Raises BoundkitError where no step is allowed.
    """
    if plan.eta is not None:
        return prepared(theorem, plan.run(theorem.algorithm, plan.eta))
    first = prepared(theorem, plan.run(theorem.algorithm, 1e-6))
    limits = {s.name for condition in theorem.step_size for s in condition.free_symbols}
    limits |= {s.name for rule in theorem.rules.values() for s in rule.free_symbols}
    found = {n: c.value for n, c in constants_before(first, theorem).items()}
    values = {q.name: q.typical for q in theorem.quantities} | found | settings(first)
    values |= {} if first.tau is None else {"tau": first.tau}
    if not limits - {"eta", "eta_s"} <= set(found) | set(settings(first)):
        seen = trajectory(first)
        values |= {n: c.value for n, c in constants_along(first, seen, theorem).items()}
    if theorem.rules:
        return _by_rules(theorem, plan, values)
    eta = plan.step * float(limit_at(largest(theorem), values))
    if not (np.isfinite(eta) and eta > 0):
        raise BoundkitError(f"{theorem.name} limits no step here; the plan {plan.name!r} must give one.")
    return prepared(theorem, plan.run(theorem.algorithm, eta))


def _usual(theorem: Theorem) -> Iterator[Plan]:
    known = {
        q.name for q in (*theorem.quantities, *(s for r in theorem.rules.values() for s in r.free_symbols))
    }
    for design in DESIGNS:
        problem = design.problem()
        if "no noise" in design.name:
            problem.noise = 0.0
        if (theorem.assumes("convex") or theorem.assumes("strongly-convex")) and not problem.convexity()[0]:
            continue
        yield Plan(
            design.name,
            problem,
            local_steps=design.tau if "tau" in known else 1,
            present=design.fraction_present if "C" in known else 1.0,
            eta_s=design.eta_s if "eta_s" in known else 1.0,
            step=design.step,
            rounds=design.rounds,
            x0=np.full(problem.d, 2.0),
        )


def _by_rules(theorem: Theorem, plan: Plan, values: dict[str, float]) -> Run:
    """The run at the theorem's own steps, long enough to meet its conditions."""
    for _ in range(_DOUBLINGS):
        if holds(theorem, values):
            break
        values["T"] *= 2
    steps = {q.name: float(evaluate(rule, values)) for q, rule in theorem.rules.items()}
    eta = steps.pop("eta", plan.eta)
    return prepared(theorem, plan.run(theorem.algorithm, eta, **steps, rounds=int(values["T"])))
