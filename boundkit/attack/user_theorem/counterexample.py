"""Counterexamples with finitely many rounds, for violations that checks of the limit of many rounds find.

An error floor is a limit. Started at its fixed point and run for enough rounds, its instance violates the
bound after finitely many rounds as well, and that run can be replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.evidence import Evidence, collect_evidence
from boundkit.attack.falsification import Falsification
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.checks.fixed_point import LIMIT_ROUNDS, noiseless
from boundkit.verification.checks.single_error_source import ISOLATED, ZERO_FLOOR, IsolatedPoint
from boundkit.verification.checks.slopes import has_exact_sweeps
from boundkit.verification.constants import arguments_at_horizon
from boundkit.verification.verdict import Verdict

ROUNDS = (10, 100, 1000, 10_000)
"""Numbers of rounds that are tried, until a run violates the bound."""
CLEAR = 1.2
"""The search for a larger ratio ends at this one."""
MOST = 8
"""Largest number of error floors slightly above the bound that are run."""
_EXACT = ("upper", "floor", "fixed point")
"""Checks that compare a measurement with the bound; a slope compares exponents only."""
_SHARES = (1.0, 0.3, 0.1, 0.01)
_FURTHER = {"m": (2.0, 4.0, 64.0, 128.0), "tau": (2.0, 256.0, 1024.0), "C": (0.125,)}
_ONE_STEP = {"tau": 1.0}
"""With one local step the step size may be large, and the error converges in few rounds."""
_NONE = (BoundkitError, NotImplementedError, ValueError, ArithmeticError, np.linalg.LinAlgError)
Ratio = tuple[float, Evidence]


def add_counterexample(result: Falsification, verdict: Verdict) -> Falsification:
    """Mark ``result`` as violated where a check of the verdict is and an exact instance confirms it.

    The instance is a finite run where one violates the bound, else the sentence of the worst check.
    """
    violated = {c.name: c.sentence for c in verdict.checks if c.outcome == "violated"}
    if not violated:
        return result
    reason = next((violated[name] for name in _EXACT if name in violated), "")
    return mark_violated(result, reason, verdict.run)


def mark_violated(result: Falsification, reason: str, run: Mapping[str, Any] | None = None) -> Falsification:
    """Mark ``result`` as violated by a finite run, variants of ``run`` first, or else with ``reason``.

    It is returned unchanged where no run violates the bound and ``reason`` is empty.
    """
    best: Ratio | None = None
    for one in _runs(result.theorem, run):
        if best is None or one[0] > best[0]:
            best = one
        if best[0] >= CLEAR:
            break
    if best is not None:
        ratio, worst = best
        return replace(
            result, answer="violated",
            reason=f"A single error source exceeds it: the ratio is {ratio:.6g}.",
            ratio=ratio, interval=None, worst=worst, run=worst.run.to_json(), largest=None, largest_run=None,
        )  # fmt: skip
    if not reason:
        return result
    return replace(
        result, answer="violated", ratio=None, interval=None, worst=None, run=None, largest=None,
        largest_run=None, reason=f"{reason[0].upper()}{reason[1:].rstrip('.')}.",
    )  # fmt: skip


def _runs(theorem: Theorem, run: Mapping[str, Any] | None) -> Iterator[Ratio]:
    """Yield finite exact runs above the bound: ``run``, then error floors started at their fixed points."""
    if run:
        try:
            given = run_from_spec(theorem.algorithm, run)
        except BoundkitError:
            pass
        else:
            yield from _last(theorem, given)
            yield from _from_fixed_point(theorem, given)
    if theorem.kind != "upper" or theorem.rules or not has_exact_sweeps(theorem):
        return
    later: list[tuple[float, Run]] = []
    for ratio, short in _error_floors(theorem):
        if ratio >= 2 * CLEAR:
            yield from _extended(theorem, short)
        else:
            later.append((ratio, short))
    for _, short in sorted(later, key=lambda one: (-one[0], one[1].problem.m))[:MOST]:
        yield from _extended(theorem, short)


def _error_floors(theorem: Theorem) -> Iterator[tuple[float, Run]]:
    """Yield isolated error sources whose error floor exceeds the bound's, with the ratio in the limit."""
    names = {q.name for q in theorem.quantities}
    for cause, isolation in ISOLATED.items():
        if isolation.early:
            continue
        varied = [n for n in isolation.quantities if n in names and n in _FURTHER]
        settings: list[dict[str, float]] = [{}, *({n: v} for n in varied for v in _FURTHER[n])]
        if "tau" in varied:
            settings[1:1] = [one | _ONE_STEP for one in settings if "tau" not in one]
        for given in settings:
            first = _error_floor(theorem, cause, given)
            if first is None:
                if not given:
                    break
                continue
            values = {n: v for n, v in first.values.items() if np.ndim(v) == 0}
            try:
                top = float(limit_at(largest(theorem), values)) if eta in theorem.quantities else np.inf
            except _NONE:
                top = np.inf
            steps = [share * top for share in _SHARES] if 0 < top < np.inf else [values.get("eta", 1e-3)]
            for step in steps:
                point = _error_floor(theorem, cause, {**given, "eta": step})
                if point is None or point.run is None or point.measured <= ZERO_FLOOR:
                    continue
                bound = float(
                    evaluate(theorem.bound.total, arguments_at_horizon(point.values, 1, LIMIT_ROUNDS))
                )
                if point.measured > CLEAR**0.25 * bound >= 0:
                    yield (point.measured / bound if bound > 0 else np.inf), point.run


def _error_floor(theorem: Theorem, cause: str, given: dict[str, float]) -> IsolatedPoint | None:
    try:
        return ISOLATED[cause].instance(theorem, **given)
    except _NONE:
        return None


def _extended(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """Yield versions of a run, of increasing length, that end above the bound, from near its fixed point."""
    starts = [run]
    if run.problem.optimum is not None:
        starts.append(replace(run, x0=run.problem.optimum))
    starts += _at_fixed_point(run)
    for rounds in ROUNDS:
        for start in starts:
            yield from _last(theorem, replace(start, rounds=rounds))


def _from_fixed_point(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """Yield versions without noise and with full participation, started at the fixed point."""
    try:
        deterministic = noiseless(run)
    except _NONE:
        return
    for start in _at_fixed_point(deterministic):
        for rounds in ROUNDS:
            yield from _last(theorem, replace(start, rounds=rounds))


def _at_fixed_point(run: Run) -> list[Run]:
    try:
        return [replace(run, x0=fixed_point(noiseless(run)).points[0])]
    except _NONE:
        return []


def _last(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """Yield the ratio at the end of a run where it is exact, finite and above 1."""
    try:
        result = collect_evidence(theorem, run)
    except _NONE:
        return
    if result.random or result.diverged:
        return
    ratio = float(result.ratios(theorem)[-1])
    if ratio > 1 + ROUNDING:
        yield ratio, result
