"""The smallest readable instance that still shows it: fewer clients, rounds, steps and digits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.aims import Aim
from boundkit.attack.cuts import STAGES
from boundkit.attack.evidence import Evidence, Pool
from boundkit.attack.sheet import Sheet, plan_of, sheet_of
from boundkit.attack.trying import tried
from boundkit.verify.assumed import Plan
from boundkit.verify.machine import Machine

Stage = Callable[[Sheet], Iterator[Sheet]]
KEPT = 0.98
"""The part of the score that a smaller instance must keep; and half of what is above 1, of a violation."""
MOST = 250
"""Evaluations of one shrinking."""


@dataclass(frozen=True)
class Shrunk:
    """A plan, its score at its last round, and its evidence."""

    plan: Plan
    score: float
    evidence: Evidence


def least(score: float) -> float:
    """The least score that a smaller instance may have."""
    if not np.isfinite(score):
        return 2.0
    return 1 + (score - 1) / 2 if score > 1 else score - (1 - KEPT) * abs(score)


def shrink(
    theorem: Theorem,
    plan: Plan,
    aim: Aim,
    machine: Machine | None = None,
    evaluations: int = MOST,
    seconds: float = np.inf,
) -> Shrunk:
    """The plan, cut down as long as the aim's score at its last round stays, for so many evaluations.

    Raises Silent or BoundkitError where the plan itself says nothing.
    """
    best = _scored(theorem, plan, aim, machine)
    floor, sheet, end = least(best.score), sheet_of(plan), time.monotonic() + seconds
    left = evaluations

    def first(stage: Stage, sheet: Sheet) -> tuple[Sheet, Shrunk] | None:
        """The first sheet of a stage that keeps the score."""
        nonlocal left
        for cut in stage(sheet):
            left -= 1
            if left < 0 or time.monotonic() > end:
                return None
            try:
                found = _scored(theorem, plan_of(theorem, cut, plan), aim, machine)
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
    return best


def _scored(theorem: Theorem, plan: Plan, aim: Aim, machine: Machine | None) -> Shrunk:
    seen = tried(theorem, plan, machine)
    score = float(aim.score(Pool([seen]))[-1])
    return Shrunk(plan, -np.inf if np.isnan(score) else score, seen)
