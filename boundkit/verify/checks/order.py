"""A bound up to constants: does the measured quantity grow faster than it in any letter?

Constants are open, so that no single run can tell. Along a sweep of a letter, with the open constants at 1,
log(measured/bound) is fitted by a line: a slope above 0 in a direction in which the letter may go without
end rises above any constant. The step is the theorem's own where it has a rule or a condition, and the
best of a grid where the theorem only says that there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta as ETA
from boundkit.analysis.predict import predict
from boundkit.verify.assumed import Plan
from boundkit.verify.checks.check import Check, Outcome
from boundkit.verify.checks.slopes import TOLERANCE, fit
from boundkit.verify.claims import by_steps, measured, prepared
from boundkit.verify.constants import constants_along, parameters
from boundkit.verify.engines import trajectory
from boundkit.verify.instances import plans, stepped
from boundkit.verify.problems import Quadratic, SmoothNonconvex
from boundkit.verify.quantities import Subject
from boundkit.verify.run import Run

VALUES: dict[str, tuple[float, ...]] = {
    "T": (50, 100, 200, 400, 800),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5),
}
_WORSE = {"T": 1, "tau": 1, "m": 1, "C": -1, "target": -1, "groups": 1, "wall": 1, "staleness": 1}
_GRID = tuple(float(v) for v in np.geomspace(1e-3, 1, 10))
_REPLICAS = 60
_WIDEST = 1.0
"""A sweep of a wider margin says nothing; nor does one that is off the wrong way by less than its margin."""
Vary = Callable[[Plan, str, float], Plan]


@dataclass(frozen=True)
class Scaling:
    """How the scaling is looked at: a plan, the letters with their values, and how a plan is varied."""

    plan: Plan
    values: Mapping[str, Sequence[float]]
    vary: Vary


def order_checks(theorem: Theorem, scaling: Scaling | None = None) -> list[Check]:
    """One check a letter that the theorem has and the plan can vary."""
    chosen = scaling or usual(theorem)
    letters = {q.name for q in theorem.quantities}
    return [
        _check(theorem, letter, chosen) for letter in chosen.values if letter in letters or letter == "target"
    ]


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


def _check(theorem: Theorem, letter: str, scaling: Scaling) -> Check:
    name = f"slope of the bound in {letter}"
    numbers: dict[str, Any] = {"term": "bound", "letter": letter}
    try:
        pairs = [_pair(theorem, scaling.vary(scaling.plan, letter, v)) for v in scaling.values[letter]]
    except BoundkitError as error:
        return Check(name, "not tested", str(error), numbers)
    at = np.log(np.array(scaling.values[letter], dtype=np.float64))
    seen, bound = np.array(pairs).T
    if not (np.isfinite(seen).all() and seen.min() > 0):
        return Check(name, "not tested", "the measured quantity is 0 or never reached on this sweep", numbers)
    slope, predicted = fit(at, np.log(seen))[0], fit(at, np.log(bound))[0]
    off, margin = fit(at, np.log(seen / bound))
    worse = off * _WORSE[letter]
    wrong = worse - margin > TOLERANCE
    outcome: Outcome = "violated" if wrong else "holds"
    slack = "" if abs(off) <= TOLERANCE or wrong else " (slack: the bound grows faster)"
    if not wrong and (worse > TOLERANCE or margin > _WIDEST):
        outcome, slack = "not tested", ": too wide to tell"
    return Check(
        name,
        outcome,
        f"measured {slope:.3f}, predicted {predicted:.3f}, apart by {abs(off):.2g} +- {margin:.1g}{slack}",
        {**numbers, "measured": slope, "margin": margin, "predicted": predicted,
         "largest_ratio": float((seen / bound).max())},
    )  # fmt: skip


def _pair(theorem: Theorem, plan: Plan) -> tuple[float, float]:
    """Measured and bound with open constants at 1; the best step of a grid where none is said."""
    runs = list(_runs(theorem, plan))
    pairs = [_one(theorem, run) for run in runs]
    return min(pairs, key=lambda pair: pair[0] / pair[1])


def _runs(theorem: Theorem, plan: Plan) -> Iterator[Run]:
    if plan.eta is not None or theorem.rules or ETA in theorem.quantities:
        yield stepped(theorem, plan)
        return
    L = plan.problem.constants(np.zeros(plan.problem.d))["L"].value
    steps = int(np.max(plan.local_steps))
    for part in _GRID:
        yield prepared(theorem, plan.run(theorem.algorithm, part / (L * steps)))


def _one(theorem: Theorem, run: Run) -> tuple[float, float]:
    seen = trajectory(run, "step" if by_steps(theorem, run) else "auto", _REPLICAS)
    if seen.outcome != "done":
        return float("inf"), 1.0
    constants = constants_along(run, seen, theorem)
    asked = parameters(theorem, run, constants, seen)
    return measured(Subject(theorem, run, seen)).value, float(predict(theorem, **asked).total)
