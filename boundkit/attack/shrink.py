"""The smallest readable instance that still shows it: fewer clients, rounds, steps and digits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate_run import run_of
from boundkit.attack.digit_reduction import rounder
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.nested_numbers import Sheet, plan_of, sheet_of
from boundkit.attack.objectives import Aim
from boundkit.attack.run_cost import price
from boundkit.attack.structure_reduction import STAGES
from boundkit.simulation.run import Run
from boundkit.verification.checks.upper_bound import ROUNDING
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

Stage = Callable[[Sheet], Iterator[Sheet]]
KEPT = 0.98
"""The part of the score that a smaller instance must keep; and half of what is above 1, of a violation."""
_CUTTING = 0.7
"""The part of what it may use that goes to cuts; the rest is for round numbers."""
_ASKED = 10.0
"""What it costs to arrange a run and to hold it up, besides the run: about milliseconds."""


@dataclass(frozen=True)
class Allowance:
    """What a shrinking may use: instances, seconds, and their price, which is the same on every machine."""

    evaluations: int = 250
    seconds: float = np.inf
    price: float = np.inf


@dataclass(frozen=True)
class Shrunk:
    """A plan, its score at its last round, and its evidence."""

    plan: Instance
    score: float
    evidence: Evidence


def least(score: float) -> float:
    """The least score that a smaller instance may have."""
    if not np.isfinite(score):
        return 2.0
    return 1 + (score - 1) / 2 if score > 1 + ROUNDING else score - (1 - KEPT) * abs(score)


def shrink(
    theorem: Theorem,
    plan: Instance,
    aim: Aim,
    machine: EngineOptions | None = None,
    allowance: Allowance | None = None,
) -> Shrunk:
    """The plan, cut down as long as the aim's score at its last round stays, and the allowance lasts.

    Raises Silent or BoundkitError where the plan itself says nothing.
    """
    allowed = allowance or Allowance()
    best = _scored(theorem, run_of(theorem, plan), plan, aim, machine)
    floor, sheet, begun = least(best.score), sheet_of(plan), time.monotonic()
    asked, spent, part = 0, 0.0, _CUTTING

    def first(stage: Stage, sheet: Sheet) -> tuple[Sheet, Shrunk] | None:
        """The first sheet of a stage that keeps the score."""
        nonlocal asked, spent
        for cut in stage(sheet):
            used = max(
                asked / allowed.evaluations,
                spent / allowed.price,
                (time.monotonic() - begun) / allowed.seconds,
            )
            if used >= part:
                return None
            asked, spent = asked + 1, spent + _ASKED
            try:
                smaller = plan_of(theorem, cut, plan)
                run = run_of(theorem, smaller)
                spent += price(theorem, run)
                found = _scored(theorem, run, smaller, aim, machine)
            except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
                continue
            if found.score >= floor:
                return cut, found
        return None

    changed = True
    while changed:
        changed = False
        for stage in STAGES:
            while (found := first(stage, sheet)) is not None:
                sheet, best = found
                changed = True
    part = 1.0
    while (found := first(rounder, sheet)) is not None:  # it may let numbers grow, so no cutting after it
        sheet, best = found
    return best


def _scored(theorem: Theorem, run: Run, plan: Instance, aim: Aim, machine: EngineOptions | None) -> Shrunk:
    with np.errstate(all="ignore"):
        seen = evidence(theorem, run, machine or Swift())
    score = float(aim.score(Pool([seen]))[-1])
    return Shrunk(plan, -np.inf if np.isnan(score) else score, seen)
