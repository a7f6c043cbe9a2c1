"""Reduce an instance: fewer clients, rounds, local steps and digits, at nearly the same score."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate import estimate_cost, make_candidate_run
from boundkit.attack.evidence import Evidence, EvidencePool, SearchObjective, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.plan_values import (
    Path,
    PlanValues,
    get_value,
    number_paths,
    plan_from_values,
    set_value,
    values_of_plan,
)
from boundkit.simulation.run import Run
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

_BY_CLIENT = ("H", "e", "h", "p", "parts", "coefficients", "s")
"""Fields of problems with one entry for each client."""
_BY_COORDINATE = ("H", "e", "h", "parts")


def drop_clients(values: PlanValues) -> Iterator[PlanValues]:
    """Yield the plan without one of its clients."""
    problem = values["problem"]
    if values["schedule"] is not None or "e" not in problem or len(problem["e"]) < 2:
        return
    m = len(problem["e"])
    participation = values["participation"]
    if isinstance(participation, dict) and participation.get("kind") not in (None, "bernoulli", "full"):
        return
    for i in range(m):
        smaller = copy.deepcopy(values)
        for name in _BY_CLIENT:
            if isinstance(smaller["problem"].get(name), list):
                del smaller["problem"][name][i]
        steps = smaller["local_steps"]
        for row in [steps] if _flat(steps) else steps if isinstance(steps, list) else []:
            del row[i]
        for holder in (smaller["options"], smaller["participation"] or {}):
            for value in holder.values():
                if isinstance(value, list) and len(value) == m:
                    del value[i]
        smaller["present"] = min(smaller["present"], m - 1)
        yield smaller
        if values["present"] > 1:
            smaller = copy.deepcopy(smaller)
            smaller["present"] = values["present"] - 1
            yield smaller


def _flat(steps: Any) -> bool:
    return isinstance(steps, list) and not isinstance(steps[0], list)


def drop_coordinates(values: PlanValues) -> Iterator[PlanValues]:
    """Yield the plan without one of the coordinates."""
    problem = values["problem"]
    e = problem.get("e")
    if e is None or len(e[0]) < 2:
        return
    for j in range(len(e[0])):
        smaller = copy.deepcopy(values)
        for name in _BY_COORDINATE:
            if isinstance(problem.get(name), list):
                array = np.array(problem[name])
                array = np.delete(array, j, axis=-1)
                if name == "H" and array.ndim == 3:
                    array = np.delete(array, j, axis=1)
                smaller["problem"][name] = array.tolist()
        del smaller["x0"][j]
        yield smaller


def simplify_settings(values: PlanValues) -> Iterator[PlanValues]:
    """Yield the plan with one setting at its simplest value."""
    for path, value in _plain(values):
        if get_value(values, path) != value:
            yield with_value(values, path, value)


def _plain(values: PlanValues) -> Iterator[tuple[Path, Any]]:
    """Yield simplest values: no noise, full participation, equal weights and Hessians, the origin."""
    problem = values["problem"]
    if not isinstance(values["noise"], dict):
        yield ("noise",), 0.0
    m = len(problem["e"]) if "e" in problem else 1
    if values["participation"] is None and values["schedule"] is None:
        yield ("present",), m
    if problem.get("p") is not None:
        yield ("problem", "p"), [1 / m] * m
    yield ("eta_s",), 1.0
    if values["eta"] is None:
        yield ("step",), 1.0
    if _flat(values["local_steps"]):
        yield ("local_steps",), max(values["local_steps"])
    H = np.array(problem["H"]) if "H" in problem else None
    if H is not None:
        if H.ndim == 3:
            yield ("problem", "H"), np.diagonal(H, axis1=1, axis2=2).tolist()
        yield ("problem", "H"), [problem["H"][0]] * m
    yield ("x0",), [0.0] * len(values["x0"])
    if "e" in problem and np.ptp(np.array(problem["e"]), axis=0).any():
        yield ("problem", "e"), np.zeros_like(problem["e"], dtype=float).tolist()


_DIGITS = (1, 2, 3)
_SMALL = 10
"""Whole numbers up to this one count as round."""


def with_value(values: PlanValues, path: Path, value: Any) -> PlanValues:
    """Return the plan's values with another value at one path."""
    other = copy.deepcopy(values)
    set_value(other, path, value)
    return other


def reduce_counts(values: PlanValues) -> Iterator[PlanValues]:
    """Yield fewer rounds and local steps: one, half, or a rounder number."""
    for name in ("rounds", "local_steps"):
        for path in number_paths(values[name], (name,)):
            value = int(get_value(values, path))
            round_numbers = [int(float(f"{value:.{k - 1}e}")) for k in _DIGITS]
            for fewer in dict.fromkeys((1, value // 2, *(r for r in round_numbers if r < value), value - 1)):
                if 1 <= fewer < value:
                    yield with_value(values, path, fewer)


def round_numbers(values: PlanValues) -> Iterator[PlanValues]:
    """Yield each number as 1, 2 or 5 times a power of ten; local steps as a power of two, too.

    Both neighbours are tried, the nearer one first; a number may also grow, so that this stage is last. A
    step size that cannot be round becomes a round fraction of the largest one allowed.
    """
    eta = values["eta"]
    if isinstance(eta, float) and eta not in _round_about(eta):
        for part in (1.0, 0.5, 0.2, 0.1):
            yield with_value(with_value(values, ("eta",), None), ("step",), part)
    for path in number_paths(values["local_steps"], ("local_steps",)):
        value = int(get_value(values, path))
        if value > _SMALL and value not in _round_about(value) and value & (value - 1):
            powers = [2 ** (value.bit_length() - 1), 2 ** value.bit_length()]
            rounds = [int(v) for v in _round_about(value)]
            for other in sorted({*rounds, *powers}, key=lambda v: (abs(v - value), v)):
                yield with_value(values, path, other)
    for field in (("step",), ("eta",), ("eta_s",), ("noise",), ("x0",), ("problem",)):
        if get_value(values, field) is None:
            continue
        for path in number_paths(get_value(values, field), field):
            value = get_value(values, path)
            if isinstance(value, float) and value and abs(value) not in _round_about(abs(value)):
                near = _round_about(abs(value))
                for size in sorted(near, key=lambda v: abs(v - abs(value))):
                    yield with_value(values, path, size if value > 0 else -size)


def _round_about(value: float) -> list[float]:
    """Return the nearest of 1, 2, 5 times a power of ten below and above; the value alone where it is one."""
    k = floor(log10(value))
    series = [float(f"{digit}e{at}") for at in (k, k + 1) for digit in (1, 2, 5)]
    if value in series:
        return [value]
    return [max(v for v in series if v < value), min(v for v in series if v > value)]


def reduce_digits(values: PlanValues) -> Iterator[PlanValues]:
    """Yield all numbers of a field with few digits at once, then one after another; zeros first."""
    fields: list[Path] = [
        ("x0",),
        ("noise",),
        ("step",),
        ("eta",),
        ("eta_s",),
        ("options",),
        ("participation",),
    ]
    fields += [("problem", name) for name in values["problem"]]
    for field in fields:
        places = [
            p
            for p in number_paths(get_value(values, field), field)
            if isinstance(get_value(values, p), float)
        ]
        for digits in _DIGITS:
            if any(_rounded(get_value(values, p), digits) != get_value(values, p) for p in places):
                fewer = copy.deepcopy(values)
                for p in places:
                    set_value(fewer, p, _rounded(get_value(values, p), digits))
                yield fewer
    for field in fields:
        for p in number_paths(get_value(values, field), field):
            value = get_value(values, p)
            if not isinstance(value, float) or value == 0:
                continue
            for simpler in dict.fromkeys((0.0, *(_rounded(value, k) for k in _DIGITS))):
                if _length(simpler) < _length(value):
                    yield with_value(values, p, simpler)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def _length(value: float) -> int:
    """Return the length of a written number: 0 is shortest, then digits count."""
    return 0 if value == 0 else len(f"{value:.17g}".lstrip("-").rstrip("0"))


STAGES: tuple[Callable[[PlanValues], Iterator[PlanValues]], ...] = (
    drop_clients,
    drop_coordinates,
    simplify_settings,
    reduce_counts,
    reduce_digits,
)
"""The stages, in the order in which they are applied."""


Stage = Callable[[PlanValues], Iterator[PlanValues]]
PRESERVED = 0.98
"""Least fraction of the score of a smaller instance; and half of what is above 1, of a violation."""
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
    objective: SearchObjective,
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
        """The first values of a stage that preserve the score."""
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
    theorem: Theorem,
    run: Run,
    plan: Instance,
    objective: SearchObjective,
    engine_options: EngineOptions | None,
) -> ReducedInstance:
    with np.errstate(all="ignore"):
        evidence = collect_evidence(theorem, run, engine_options or FastEngineOptions())
    score = float(objective.score(EvidencePool([evidence]))[-1])
    return ReducedInstance(plan, -np.inf if np.isnan(score) else score, evidence)
