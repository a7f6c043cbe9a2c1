"""A finite run for what default instances and slopes show: an exact ratio above 1 is a counterexample.

A floor is the limit of many rounds. Its instance, begun at rest and run for long enough, lies above the bound
after finitely many rounds too, and such a run can be made again by anyone.
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
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.falsification import Falsification
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.checks import single_error_source
from boundkit.verification.checks.fixed_point import FOREVER, noiseless
from boundkit.verification.checks.slopes import ISOLATED, own_sweeps
from boundkit.verification.checks.upper_bound import ROUNDING
from boundkit.verification.constants import at_horizon
from boundkit.verification.verdict import Verdict

ROUNDS = (10, 100, 1000, 10_000)
"""Runs of a floor are made so long, until one is above the bound."""
CLEAR = 1.2
"""A ratio with which a search for a clearer one ends."""
MOST = 8
"""At most so many floors that are a little above the bound are run."""
_EXACT = ("upper", "floor", "fixed point")
"""Checks that hold a measurement against the bound; a slope only compares exponents."""
_SHARES = (1.0, 0.3, 0.1, 0.01)
_FURTHER = {"m": (2.0, 4.0, 64.0, 128.0), "tau": (2.0, 256.0, 1024.0), "C": (0.125,)}
_ONE_STEP = {"tau": 1.0}
"""Without a walk between two averages the steps may be long, and soon settle."""
_EARLY = (single_error_source.only_start, single_error_source.only_first_errors)
_NONE = (BoundkitError, NotImplementedError, ValueError, ArithmeticError, np.linalg.LinAlgError)
Ratio = tuple[float, Evidence]


def counterexample(found: Falsification, verdict: Verdict) -> Falsification:
    """``found`` as violated, where a check of the verdict is and an exact instance shows it; else as it was.

    The instance is a finite run where one lies above the bound, and the worst check in words where none does.
    """
    broken = {c.name: c.sentence for c in verdict.checks if c.outcome == "violated"}
    if not broken:
        return found
    said = next((broken[name] for name in _EXACT if name in broken), "")
    return refuted(found, said, verdict.run)


def refuted(found: Falsification, said: str, run: Mapping[str, Any] | None = None) -> Falsification:
    """``found`` as violated by a finite run, of those like ``run`` first, or else by what is ``said``.

    As it was where no run is above the bound and nothing is said.
    """
    best: Ratio | None = None
    for one in _runs(found.theorem, run):
        if best is None or one[0] > best[0]:
            best = one
        if best[0] >= CLEAR:
            break
    if best is not None:
        ratio, seen = best
        return replace(
            found, answer="violated", reason=f"A single cause is above it: the ratio is {ratio:.6g}.",
            ratio=ratio, interval=None, worst=seen, run=seen.run.to_json(), largest=None, largest_run=None,
        )  # fmt: skip
    if not said:
        return found
    return replace(
        found, answer="violated", ratio=None, interval=None, worst=None, run=None, largest=None,
        largest_run=None, reason=f"{said[0].upper()}{said[1:].rstrip('.')}.",
    )  # fmt: skip


def _runs(theorem: Theorem, run: Mapping[str, Any] | None) -> Iterator[Ratio]:
    """Finite exact runs above the bound: that which is given, then floors that are begun at rest."""
    if run:
        try:
            given = run_from_spec(theorem.algorithm, run)
        except BoundkitError:
            pass
        else:
            yield from _last(theorem, given)
            yield from _from_rest(theorem, given)
    if theorem.kind != "upper" or theorem.rules or own_sweeps(theorem) is not None:
        return
    later: list[tuple[float, Run]] = []
    for ratio, short in _floors(theorem):
        if ratio >= 2 * CLEAR:
            yield from _long_enough(theorem, short)
        else:
            later.append((ratio, short))
    for _, short in sorted(later, key=lambda one: (-one[0], one[1].problem.m))[:MOST]:
        yield from _long_enough(theorem, short)


def _floors(theorem: Theorem) -> Iterator[tuple[float, Run]]:
    """Single causes whose floor lies above the bound's, with the ratio in the limit of many rounds."""
    known = {q.name for q in theorem.quantities}
    for cause, (instance, letters) in ISOLATED.items():
        if instance in _EARLY:
            continue
        moved = [n for n in letters if n in known and n in _FURTHER]
        asked: list[dict[str, float]] = [{}, *({n: v} for n in moved for v in _FURTHER[n])]
        if "tau" in moved:
            asked[1:1] = [one | _ONE_STEP for one in asked if "tau" not in one]
        for given in asked:
            first = _floor(theorem, cause, given)
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
                point = _floor(theorem, cause, {**given, "eta": step})
                if point is None or point.run is None or point.measured <= single_error_source.ROUNDED:
                    continue
                asking = at_horizon(point.values, 1, FOREVER)
                bound = float(evaluate(theorem.bound.total, asking))
                if point.measured > CLEAR**0.25 * bound >= 0:
                    yield (point.measured / bound if bound > 0 else np.inf), point.run


def _floor(theorem: Theorem, cause: str, given: dict[str, float]) -> single_error_source.Point | None:
    try:
        return ISOLATED[cause][0](theorem, **given)
    except _NONE:
        return None


def _long_enough(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """Those of some lengths of a run that end above the bound, the shortest first, begun near its rest."""
    starts = [run]
    if run.problem.optimum is not None:
        starts.append(replace(run, x0=run.problem.optimum))
    starts += _rested(run)
    for rounds in ROUNDS:
        for start in starts:
            yield from _last(theorem, replace(start, rounds=rounds))


def _from_rest(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """Without noise and with everybody there, from the point at which it stays."""
    try:
        still = noiseless(run)
    except _NONE:
        return
    for start in _rested(still):
        for rounds in ROUNDS:
            yield from _last(theorem, replace(start, rounds=rounds))


def _rested(run: Run) -> list[Run]:
    try:
        return [replace(run, x0=fixed_point(noiseless(run)).points[0])]
    except _NONE:
        return []


def _last(theorem: Theorem, run: Run) -> Iterator[Ratio]:
    """The ratio at the end of a run, where it is exact, finite and above 1."""
    try:
        seen = evidence(theorem, run)
    except _NONE:
        return
    if seen.random or seen.diverged:
        return
    ratio = float(seen.ratios(theorem)[-1])
    if ratio > 1 + ROUNDING:
        yield ratio, seen
