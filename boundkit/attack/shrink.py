"""The smallest readable instance that still shows it: fewer clients, rounds, steps and digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.aims import Aim
from boundkit.attack.cuts import cuts
from boundkit.attack.evidence import Evidence, Pool
from boundkit.attack.sheet import Sheet, plan_of, sheet_of
from boundkit.attack.trying import tried
from boundkit.verify.assumed import Plan
from boundkit.verify.machine import Machine

KEPT = 0.98
"""The part of the score that a smaller instance must keep; and half of what is above 1, of a violation."""
_MOST = 400
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
    evaluations: int = _MOST,
    progress: Callable[[int, int], None] | None = None,
) -> Shrunk:
    """The plan, cut down as long as the aim's score at its last round stays.

    Raises Silent or BoundkitError where the plan itself says nothing.
    """
    first = _scored(theorem, plan, aim, machine)
    floor, best, sheet, left = least(first.score), first, sheet_of(plan), evaluations

    def smaller() -> tuple[Sheet, Shrunk] | None:
        nonlocal left
        for cut in cuts(sheet):
            if left <= 0:
                return None
            left -= 1
            if progress is not None:
                progress(evaluations - left, evaluations)
            try:
                found = _scored(theorem, plan_of(theorem, cut, plan), aim, machine)
            except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
                continue
            if found.score >= floor:
                return cut, found
        return None

    while (next_one := smaller()) is not None:
        sheet, best = next_one
    return best


def _scored(theorem: Theorem, plan: Plan, aim: Aim, machine: Machine | None) -> Shrunk:
    seen = tried(theorem, plan, machine)
    score = float(aim.score(Pool([seen]))[-1])
    return Shrunk(plan, -np.inf if np.isnan(score) else score, seen)
