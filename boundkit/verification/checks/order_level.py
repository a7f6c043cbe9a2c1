"""Order-level bounds: does the measured quantity grow faster than the bound in any quantity?

Its constants are unspecified, so that no single run decides. Along a sweep of a quantity, with the constants
set to 1, log(measured/bound) is fitted by a line: a slope above 0 in a direction in which the quantity is
unbounded exceeds any constant. The step size is the theorem's own where it has a rule or a condition, and the
best of a grid where the theorem only states that one exists. A run that diverges inside a condition without
unspecified constants violates the theorem, whose bound is finite there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta as ETA
from boundkit.analysis.predict import predict
from boundkit.analysis.progress import Progress
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks import Check, Outcome
from boundkit.verification.checks.slopes import UNBOUNDED, check_exponent, fit
from boundkit.verification.claims import add_observables, measure_claim
from boundkit.verification.constants import is_unspecified, measure_constants, theorem_arguments
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.engine_options import DEFAULT_OPTIONS, EngineOptions
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.family import Sweeps
from boundkit.verification.instance import Instance, vary_instance

_GRID = tuple(float(v) for v in np.geomspace(1e-3, 1, 10))
VALUES: dict[str, tuple[float, ...]] = {
    "T": (50, 100, 200, 400, 800),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5),
}


@dataclass(frozen=True)
class OrderSweepPoint:
    """Measurement and bound at one value of a sweep, with unspecified constants at 1.

    ``failure``: why the run gives no positive finite number. ``violated``: it diverged where the theorem
    states a finite bound. ``arguments``: those of the bound.
    """

    measured: float
    bound: float
    engine: str
    random: bool
    failure: str = ""
    violated: bool = False
    arguments: Mapping[str, float] = field(default_factory=dict)


def best_point(theorem: Theorem, instance: Instance, engine_options: EngineOptions) -> OrderSweepPoint:
    """The point of an instance, at the best step size of a grid where the theorem prescribes none."""
    points = points_at_all_steps(theorem, instance, engine_options)
    successful = [p for p in points if not p.failure]
    if not successful and len(points) == 1:
        return points[0]
    if not successful:
        steps = f"{len(_GRID)} steps up to {_largest_step(instance):.3g}"
        failure = f"none of {steps} gives a number: the last one {points[-1].failure}"
        return replace(points[-1], failure=failure, violated=False)
    return min(successful, key=lambda p: p.measured / p.bound)


def points_at_all_steps(
    theorem: Theorem, instance: Instance, engine_options: EngineOptions
) -> list[OrderSweepPoint]:
    """The point at the instance's own step size, or those of a grid where the theorem prescribes none."""
    if instance.eta is not None or theorem.rules or ETA in theorem.quantities:
        return [_point(theorem, build_run(theorem, instance), engine_options)]
    step = _largest_step(instance)
    runs = (add_observables(theorem, instance.run(theorem.algorithm, part * step)) for part in _GRID)
    return [_point(theorem, run, engine_options) for run in runs]


def _largest_step(instance: Instance) -> float:
    """1/(L tau)."""
    L = instance.problem.constants(np.zeros(instance.problem.d))["L"].value
    return float(1 / (L * int(np.max(instance.local_steps))))


def _point(theorem: Theorem, run: Run, engine_options: EngineOptions) -> OrderSweepPoint:
    recorded = engine_options.trajectory(theorem, run)
    point = OrderSweepPoint(inf, 1.0, recorded.engine, recorded.random)
    if recorded.outcome == "waiting":
        return replace(point, failure="the run never started: some client never participated")
    if recorded.outcome == "diverged":
        inside = _is_bounded(theorem, run, recorded)
        where = (
            "inside the step-size condition" if inside else "at a step size that the theorem does not cover"
        )
        failure = f"the run diverged in round {recorded.diverged_at}, {where}"
        return replace(point, failure=failure, violated=inside)
    constants = measure_constants(run, recorded, theorem)
    arguments = theorem_arguments(theorem, run, constants, recorded)
    bound = predict(theorem, **arguments)
    measured = measure_claim(context_of(theorem, run, recorded)).value
    if not isfinite(measured):
        return replace(point, failure=f"the target was not reached in {run.rounds} rounds")
    if measured <= 0:
        return replace(point, failure="the measured quantity is 0, which has no slope")
    return replace(point, measured=measured, bound=float(bound.total), arguments=arguments)


def _is_bounded(theorem: Theorem, run: Run, recorded: Trajectory) -> bool:
    """Whether the theorem applies to the run's step sizes by a condition without unspecified constants."""
    symbols = {s.name for relation in theorem.step_size for s in relation.free_symbols}
    symbols |= {s.name for rule in theorem.rules.values() for s in rule.free_symbols}
    limited = "eta" in symbols or bool(theorem.rules)
    if not limited or any(map(is_unspecified, symbols)) or reasons_not_applicable(theorem, run):
        return False
    try:
        constants = measure_constants(run, recorded, theorem)
        return bool(predict(theorem, **theorem_arguments(theorem, run, constants, recorded)).holds)
    except BoundkitError:  # a constant is not available for such step sizes
        return False


def order_checks(
    theorem: Theorem,
    sweeps: Sweeps | None = None,
    engine_options: EngineOptions = DEFAULT_OPTIONS,
    seed: int | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> list[Check]:
    """One check for each quantity that the theorem has and the instance can vary.

    ``engine_options`` and ``seed`` are those of every run of the sweeps; they have no effect where moments
    are exact. ``quick`` ends with the first conclusive one. ``progress(quantities done, quantities)``.
    """
    chosen = sweeps or sweeps_of(theorem)
    if seed is not None:
        chosen = replace(chosen, instance=replace(chosen.instance, seed=seed))
    names = {q.name for q in theorem.quantities} | {"target"}
    quantities = [keyword for keyword in chosen.values if keyword in names]
    checks: list[Check] = []
    for keyword in quantities:
        checks.append(_check(theorem, keyword, chosen, engine_options))
        if progress is not None:
            progress(len(checks), len(quantities))
        if quick and checks[-1].outcome != "not tested":
            break
    return checks


def sweeps_of(theorem: Theorem) -> Sweeps:
    """The sweeps of the theorem's family; else the general ones."""
    return FAMILIES.sweeps(theorem) or general_sweeps(theorem)


def general_sweeps(theorem: Theorem) -> Sweeps:
    """The theorem's first instance, with the theorem's own quantities varied."""
    instance = next(iter(default_instances(theorem)), None)
    if instance is None:
        raise BoundkitError(f"no instance meets the assumptions of {theorem.name}.")
    names = {q.name for q in theorem.quantities}
    return Sweeps(instance, {n: v for n, v in VALUES.items() if n in names}, vary_instance)


def _check(theorem: Theorem, keyword: str, sweeps: Sweeps, engine_options: EngineOptions) -> Check:
    name = f"slope of the bound in {keyword}"
    numbers: dict[str, Any] = {"term": "bound", "letter": keyword}
    values = sweeps.values[keyword]
    try:
        points = [
            best_point(theorem, sweeps.vary(sweeps.instance, keyword, v), engine_options) for v in values
        ]
    except BoundkitError as error:
        return Check(name, "not tested", str(error), numbers)
    numbers |= {"engines": sorted({p.engine for p in points}), "sampled": any(p.random for p in points)}
    failed = next(((v, p) for v, p in zip(values, points, strict=True) if p.failure), None)
    if failed is not None:
        at, point = failed
        outcome: Outcome = "violated" if point.violated else "not tested"
        return Check(name, outcome, f"at {keyword} = {at:g} {point.failure}", numbers)
    x = np.log(np.array(values, dtype=np.float64))
    measured, bound = np.array([(p.measured, p.bound) for p in points]).T
    slope, predicted = fit(x, np.log(measured))[0], fit(x, np.log(bound))[0]
    off, margin = fit(x, np.log(measured / bound))
    outcome, remark = check_exponent(off, margin, UNBOUNDED[keyword])
    return Check(
        name,
        outcome,
        f"measured {slope:.3f}, predicted {predicted:.3f}, apart by {abs(off):.2g} +- {margin:.1g}{remark}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted,
         "largest_ratio": float((measured / bound).max())},
    )  # fmt: skip
