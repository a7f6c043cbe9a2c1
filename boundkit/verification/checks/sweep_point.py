"""Measured and bound at one value of a sweep, or why there is no such pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta as ETA
from boundkit.analysis.predict import predict
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import is_unspecified, measure_constants, theorem_arguments
from boundkit.verification.default_instances import build_run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of
from boundkit.verification.instance import Instance

_GRID = tuple(float(v) for v in np.geomspace(1e-3, 1, 10))


@dataclass(frozen=True)
class Point:
    """Measured and bound with open constants at 1.

    ``ended``: why the run gives no number that a logarithm has. ``inside``: it diverged where the theorem
    promises a finite bound. ``asked``: what the bound was asked with.
    """

    measured: float
    bound: float
    engine: str
    random: bool
    ended: str = ""
    inside: bool = False
    asked: Mapping[str, float] = field(default_factory=dict)


def best_point(theorem: Theorem, instance: Instance, machine: EngineOptions) -> Point:
    """The point of an instance, at the best step size of a grid where the theorem prescribes none."""
    points = points_at_all_steps(theorem, instance, machine)
    able = [p for p in points if not p.ended]
    if not able and len(points) == 1:
        return points[0]
    if not able:
        most = f"{len(_GRID)} steps up to {_longest(instance):.3g}"
        reason = f"none of {most} gives a number: the last one {points[-1].ended}"
        return replace(points[-1], ended=reason, inside=False)
    return min(able, key=lambda p: p.measured / p.bound)


def points_at_all_steps(theorem: Theorem, instance: Instance, machine: EngineOptions) -> list[Point]:
    """The point at the instance's own step size, or those of a grid where the theorem prescribes none."""
    if instance.eta is not None or theorem.rules or ETA in theorem.quantities:
        return [_one(theorem, build_run(theorem, instance), machine)]
    most = _longest(instance)
    runs = (add_observables(theorem, instance.run(theorem.algorithm, part * most)) for part in _GRID)
    return [_one(theorem, run, machine) for run in runs]


def _longest(instance: Instance) -> float:
    """1/(L tau)."""
    L = instance.problem.constants(np.zeros(instance.problem.d))["L"].value
    return float(1 / (L * int(np.max(instance.local_steps))))


def _one(theorem: Theorem, run: Run, machine: EngineOptions) -> Point:
    recorded = machine.trajectory(theorem, run)
    point = Point(inf, 1.0, recorded.engine, recorded.random)
    if recorded.outcome == "waiting":
        return replace(point, ended="the run never began: a client never came")
    if recorded.outcome == "diverged":
        reason = f"the run diverged in round {recorded.diverged_at}"
        inside = _inside(theorem, run, recorded)
        where = "inside the step-size condition" if inside else "at a step for which nothing is promised"
        return replace(point, ended=f"{reason}, {where}", inside=inside)
    constants = measure_constants(run, recorded, theorem)
    asked = theorem_arguments(theorem, run, constants, recorded)
    bound = predict(theorem, **asked)
    measured = measure_claim(context_of(theorem, run, recorded)).value
    if not isfinite(measured):
        return replace(point, ended=f"the target was not reached in {run.rounds} rounds")
    if measured <= 0:
        return replace(point, ended="the measured quantity is 0, which has no slope")
    return replace(point, measured=measured, bound=float(bound.total), asked=asked)


def _inside(theorem: Theorem, run: Run, recorded: Trajectory) -> bool:
    """Whether the theorem says, without an open constant, that it allows the steps of this run."""
    reason = {s.name for relation in theorem.step_size for s in relation.free_symbols}
    reason |= {s.name for rule in theorem.rules.values() for s in rule.free_symbols}
    limited = "eta" in reason or bool(theorem.rules)
    if not limited or any(map(is_unspecified, reason)) or reasons_not_applicable(theorem, run):
        return False
    try:
        asked = theorem_arguments(theorem, run, measure_constants(run, recorded, theorem), recorded)
        return bool(predict(theorem, **asked).holds)
    except BoundkitError:  # a constant that no bound is known of for such steps
        return False
