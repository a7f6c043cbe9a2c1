"""A bound up to constants: does the measured quantity grow faster than it in any letter?

Constants are open, so that no single run can tell. Along a sweep of a letter, with the open constants at 1,
log(measured/bound) is fitted by a line: a slope above 0 in a direction in which the letter may go without
end rises above any constant. The step is the theorem's own where it has a rule or a condition, and the
best of a grid where the theorem only says that there is one. A run that diverges inside a condition without
open constants violates the theorem, whose bound is finite there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.engines import Progress
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.verification.assumed import Plan
from boundkit.verification.checks.check import Check, Outcome
from boundkit.verification.checks.exponent_interval import judged
from boundkit.verification.checks.slopes import fit
from boundkit.verification.checks.sweep_point import best
from boundkit.verification.default_instances import plans
from boundkit.verification.engine_options import USUAL, Machine

VALUES: dict[str, tuple[float, ...]] = {
    "T": (50, 100, 200, 400, 800),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5),
}
WORSE = {"T": 1, "tau": 1, "m": 1, "C": -1, "target": -1, "groups": 1, "wall": 1, "staleness": 1}
"""The direction in which each letter may go without end."""
Vary = Callable[[Plan, str, float], Plan]


@dataclass(frozen=True)
class Scaling:
    """How the scaling is looked at: a plan, the letters with their values, and how a plan is varied."""

    plan: Plan
    values: Mapping[str, Sequence[float]]
    vary: Vary


def order_checks(
    theorem: Theorem,
    scaling: Scaling | None = None,
    machine: Machine = USUAL,
    seed: int | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> list[Check]:
    """One check a letter that the theorem has and the plan can vary.

    ``machine`` and ``seed`` are those of every run of the sweeps; they change nothing where moments are
    exact. ``quick`` ends with the first letter that tells. ``progress(letters done, letters)``.
    """
    chosen = scaling or usual(theorem)
    if seed is not None:
        chosen = replace(chosen, plan=replace(chosen.plan, seed=seed))
    known = {q.name for q in theorem.quantities} | {"target"}
    letters = [letter for letter in chosen.values if letter in known]
    found: list[Check] = []
    for letter in letters:
        found.append(_check(theorem, letter, chosen, machine))
        if progress is not None:
            progress(len(found), len(letters))
        if quick and found[-1].outcome != "not tested":
            break
    return found


def usual(theorem: Theorem) -> Scaling:
    """The first plan of the theorem, with its own letters varied."""
    plan = next(iter(plans(theorem)), None)
    if plan is None:
        raise BoundkitError(f"no instance meets the assumptions of {theorem.name}.")
    known = {q.name for q in theorem.quantities}
    return Scaling(plan, {n: v for n, v in VALUES.items() if n in known}, varied)


def varied(plan: Plan, letter: str, value: float) -> Plan:
    """The plan with another number of rounds, local steps or clients, or another fraction of them."""
    if letter == "T":
        return replace(plan, rounds=int(value))
    if letter == "tau":
        return replace(plan, local_steps=int(value))
    if letter == "C":
        return replace(plan, present=float(value))
    if letter == "m":
        return replace(plan, problem=_copies(plan.problem, int(value)))
    raise BoundkitError(f"{letter} is not varied here.")


def _copies(problem: Any, m: int) -> Any:
    """Clients of the same kinds, m of them: those of the problem in turn, which must divide."""
    kinds = 4
    if isinstance(problem, Quadratic):
        which = np.arange(m) % kinds
        return Quadratic(list(problem.H[which]), problem.e[which], noise=problem.noise)
    if isinstance(problem, SmoothNonconvex):
        e = problem.e[np.arange(m) % kinds]
        return SmoothNonconvex(e - e.mean(axis=0), noise=problem.noise)
    raise BoundkitError(f"clients of a {problem.kind} problem are not copied here.")


def _check(theorem: Theorem, letter: str, scaling: Scaling, machine: Machine) -> Check:
    name = f"slope of the bound in {letter}"
    numbers: dict[str, Any] = {"term": "bound", "letter": letter}
    values = scaling.values[letter]
    try:
        points = [best(theorem, scaling.vary(scaling.plan, letter, v), machine) for v in values]
    except BoundkitError as error:
        return Check(name, "not tested", str(error), numbers)
    numbers |= {"engines": sorted({p.engine for p in points}), "sampled": any(p.random for p in points)}
    bad = next(((v, p) for v, p in zip(values, points, strict=True) if p.ended), None)
    if bad is not None:
        at, point = bad
        outcome: Outcome = "violated" if point.inside else "not tested"
        return Check(name, outcome, f"at {letter} = {at:g} {point.ended}", numbers)
    x = np.log(np.array(values, dtype=np.float64))
    seen, bound = np.array([(p.measured, p.bound) for p in points]).T
    slope, predicted = fit(x, np.log(seen))[0], fit(x, np.log(bound))[0]
    off, margin = fit(x, np.log(seen / bound))
    outcome, besides = judged(off, margin, (WORSE[letter],))
    return Check(
        name,
        outcome,
        f"measured {slope:.3f}, predicted {predicted:.3f}, apart by {abs(off):.2g} +- {margin:.1g}{besides}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted,
         "largest_ratio": float((seen / bound).max())},
    )  # fmt: skip
