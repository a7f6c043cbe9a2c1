"""Order-level bounds: does the measured quantity grow faster than the bound in any quantity?

Its constants are unspecified, so that no single run decides. Along a sweep of a quantity, with the constants
set to 1, log(measured/bound) is fitted by a line: a slope above 0 in a direction in which the quantity is
unbounded exceeds any constant. The step size is the theorem's own where it has a rule or a condition, and the
best of a grid where the theorem only states that one exists. A run that diverges inside a condition without
unspecified constants violates the theorem, whose bound is finite there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.engines import Progress
from boundkit.verification.checks.check import Check, Outcome
from boundkit.verification.checks.exponent_interval import judge_exponent
from boundkit.verification.checks.slopes import fit
from boundkit.verification.checks.sweep_point import best_point
from boundkit.verification.default_instances import default_instances
from boundkit.verification.engine_options import DEFAULT_OPTIONS, EngineOptions
from boundkit.verification.families import FAMILIES
from boundkit.verification.family import Sweeps
from boundkit.verification.instance import vary_instance

VALUES: dict[str, tuple[float, ...]] = {
    "T": (50, 100, 200, 400, 800),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5),
}
WORSE = {"T": 1, "tau": 1, "m": 1, "C": -1, "target": -1, "groups": 1, "wall": 1, "staleness": 1}
"""The direction in which each quantity is unbounded."""


def order_checks(
    theorem: Theorem,
    sweeps: Sweeps | None = None,
    machine: EngineOptions = DEFAULT_OPTIONS,
    seed: int | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> list[Check]:
    """One check for each quantity that the theorem has and the instance can vary.

    ``machine`` and ``seed`` are those of every run of the sweeps; they change nothing where moments are
    exact. ``quick`` ends with the first conclusive one. ``progress(quantities done, quantities)``.
    """
    chosen = sweeps or sweeps_of(theorem)
    if seed is not None:
        chosen = replace(chosen, instance=replace(chosen.instance, seed=seed))
    known = {q.name for q in theorem.quantities} | {"target"}
    quantities = [keyword for keyword in chosen.values if keyword in known]
    checks: list[Check] = []
    for keyword in quantities:
        checks.append(_check(theorem, keyword, chosen, machine))
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
    known = {q.name for q in theorem.quantities}
    return Sweeps(instance, {n: v for n, v in VALUES.items() if n in known}, vary_instance)


def _check(theorem: Theorem, keyword: str, sweeps: Sweeps, machine: EngineOptions) -> Check:
    name = f"slope of the bound in {keyword}"
    numbers: dict[str, Any] = {"term": "bound", "letter": keyword}
    values = sweeps.values[keyword]
    try:
        points = [best_point(theorem, sweeps.vary(sweeps.instance, keyword, v), machine) for v in values]
    except BoundkitError as error:
        return Check(name, "not tested", str(error), numbers)
    numbers |= {"engines": sorted({p.engine for p in points}), "sampled": any(p.random for p in points)}
    bad = next(((v, p) for v, p in zip(values, points, strict=True) if p.ended), None)
    if bad is not None:
        at, point = bad
        outcome: Outcome = "violated" if point.inside else "not tested"
        return Check(name, outcome, f"at {keyword} = {at:g} {point.ended}", numbers)
    x = np.log(np.array(values, dtype=np.float64))
    measured, bound = np.array([(p.measured, p.bound) for p in points]).T
    slope, predicted = fit(x, np.log(measured))[0], fit(x, np.log(bound))[0]
    off, margin = fit(x, np.log(measured / bound))
    outcome, besides = judge_exponent(off, margin, (WORSE[keyword],))
    return Check(
        name,
        outcome,
        f"measured {slope:.3f}, predicted {predicted:.3f}, apart by {abs(off):.2g} +- {margin:.1g}{besides}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted,
         "largest_ratio": float((measured / bound).max())},
    )  # fmt: skip
