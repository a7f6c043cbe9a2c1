"""Reduce an instance: fewer clients, rounds, local steps and digits, at nearly the same score."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate import estimate_cost, make_candidate_run
from boundkit.attack.evidence import Evidence, EvidencePool, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.instance_reduction import STAGES, round_numbers
from boundkit.attack.objectives import Objective
from boundkit.attack.plan_values import PlanValues, plan_from_values, values_of_plan
from boundkit.simulation.run import Run
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

Stage = Callable[[PlanValues], Iterator[PlanValues]]
PRESERVED = 0.98
"""The part of the score that a smaller instance must keep; and half of what is above 1, of a violation."""
_CUTTING = 0.7
"""Fraction of the budget for cuts; the rest is for round numbers."""
_EVALUATION_COST = 10.0
"""Cost of an evaluation besides its run, in about milliseconds."""


@dataclass(frozen=True)
class ReductionBudget:
    """Budget of a reduction: instances, seconds, and their machine-independent cost."""

    evaluations: int = 250
    seconds: float = np.inf
    cost: float = np.inf


@dataclass(frozen=True)
class ReducedInstance:
    """A plan, its score at its last round, and its evidence."""

    plan: Instance
    score: float
    evidence: Evidence


def least_score(score: float) -> float:
    """Return the smallest score that a reduced instance may have."""
    if not np.isfinite(score):
        return 2.0
    return 1 + (score - 1) / 2 if score > 1 + ROUNDING else score - (1 - PRESERVED) * abs(score)


def shrink(
    theorem: Theorem,
    plan: Instance,
    objective: Objective,
    engine_options: EngineOptions | None = None,
    allowance: ReductionBudget | None = None,
) -> ReducedInstance:
    """Reduce the plan while the score at its last round is preserved and the budget lasts.

    Raises NotApplicable or BoundkitError where the plan itself has no score.
    """
    allowed = allowance or ReductionBudget()
    best = _scored(theorem, make_candidate_run(theorem, plan), plan, objective, engine_options)
    least, values, begun = least_score(best.score), values_of_plan(plan), time.monotonic()
    settings, spent, part = 0, 0.0, _CUTTING

    def first(stage: Stage, values: PlanValues) -> tuple[PlanValues, ReducedInstance] | None:
        """The first sheet of a stage that keeps the score."""
        nonlocal settings, spent
        for cut in stage(values):
            used = max(
                settings / allowed.evaluations,
                spent / allowed.cost,
                (time.monotonic() - begun) / allowed.seconds,
            )
            if used >= part:
                return None
            settings, spent = settings + 1, spent + _EVALUATION_COST
            try:
                smaller = plan_from_values(theorem, cut, plan)
                run = make_candidate_run(theorem, smaller)
                spent += estimate_cost(theorem, run)
                result = _scored(theorem, run, smaller, objective, engine_options)
            except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
                continue
            if result.score >= least:
                return cut, result
        return None

    changed = True
    while changed:
        changed = False
        for stage in STAGES:
            while (result := first(stage, values)) is not None:
                values, best = result
                changed = True
    part = 1.0
    while (
        result := first(round_numbers, values)
    ) is not None:  # it may let numbers grow, so no cutting after it
        values, best = result
    return best


def _scored(
    theorem: Theorem, run: Run, plan: Instance, objective: Objective, engine_options: EngineOptions | None
) -> ReducedInstance:
    with np.errstate(all="ignore"):
        evidence = collect_evidence(theorem, run, engine_options or FastEngineOptions())
    score = float(objective.score(EvidencePool([evidence]))[-1])
    return ReducedInstance(plan, -np.inf if np.isnan(score) else score, evidence)
