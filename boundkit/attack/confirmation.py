"""Decide the answer of a search: confirm sampled violations with fresh seeds, and reduce the instance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.evidence import BOUND, Evidence, EvidencePool, bound_objective, collect_evidence
from boundkit.attack.falsification import Answer, Falsification
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.plan_values import plan_from_run
from boundkit.attack.search import REPLICAS, SearchResult, WorstInstance, truncated_run
from boundkit.attack.shrinking import ReducedInstance, ReductionBudget, shrink
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.engine_options import EngineOptions

ERROR = 1e-3
LOOKS = (128, 512, 2048)
"""Replicas of the looks."""
_FRESH = 2**20
"""Seeds from here on are reserved for looks; the search uses smaller ones."""
Decision = Literal["violated", "not broken", "undecided"]


@dataclass(frozen=True)
class Confirmation:
    """The ratio with its one-sided ends, the number of replicas and the level."""

    decision: Decision
    ratio: float
    low: float
    high: float
    replicas: int
    alpha: float
    evidence: Evidence


def confirm(
    theorem: Theorem,
    run: Run,
    *,
    candidate: int = 1,
    error: float = ERROR,
    engine_options: EngineOptions | None = None,
) -> Confirmation:
    """Simulate a run with more replicas at each look, until its last round is decided.

    A deterministic run is decided at once. Raises as ``collect_evidence`` does.
    """
    engine_options = engine_options or FastEngineOptions()
    left = error / (candidate * (candidate + 1))
    result: Confirmation | None = None
    for look, replicas in enumerate(LOOKS):
        alpha, left = left / 2, left / 2
        fresh = replace(run, seed=_FRESH + len(LOOKS) * (run.seed + candidate) + look)
        evidence = collect_evidence(
            theorem, fresh, replace(engine_options, replicas=replicas), level=1 - 2 * alpha
        )
        result = _decided(theorem, evidence, replicas, alpha)
        if result.decision != "undecided":
            break
    assert result is not None
    return result


def _decided(theorem: Theorem, evidence: Evidence, replicas: int, alpha: float) -> Confirmation:
    middle, above = (replace(evidence, low=end, high=start) for end, start in
                     ((evidence.measured, evidence.measured), (evidence.high, evidence.low)))  # fmt: skip
    low, ratio, high = (float(each.ratios(theorem)[-1]) for each in (evidence, middle, above))
    decision: Decision = (
        "violated" if low > 1 else "undecided" if high > 1 and evidence.random else "not broken"
    )
    return Confirmation(decision, ratio, low, high, replicas if evidence.random else 1, alpha, evidence)


CANDIDATES = 4
"""Largest number of sampled candidates above 1 that are tested with fresh seeds."""
_CLOSE = 1e-6


def decide_answer(
    search: SearchResult,
    engine_options: EngineOptions | None,
    reduction_budget: ReductionBudget | None,
) -> Falsification:
    """Decide the answer from the best instances of a search.

    Exact violations precede sampled ones, then those that rest on estimated constants, which are
    undecided. ``allowance``: budget for a smaller instance; None: the instance of the search. After an
    interrupt nothing more is run, so that a sampled ratio above 1 remains unconfirmed.
    """
    exact = find_exact_violation(search)
    instance = search.best[BOUND] if exact is None else exact
    result = _falsification_of(search, instance)
    if instance.evidence.random:
        return _sampled(result, engine_options, reduction_budget)
    if search.interrupted or reduction_budget is None:
        return _undecided_if_estimated(result)
    small = _reduce(search.theorem, instance, engine_options, reduction_budget)
    if small is None:
        return _undecided_if_estimated(result)
    return _undecided_if_estimated(_with_smaller(result, instance, small))


def _falsification_of(search: SearchResult, instance: WorstInstance) -> Falsification:
    others = {name: other for name, other in search.best.items() if name != BOUND}
    return Falsification(
        search.theorem, "violated" if instance.score > 1 + ROUNDING else "not broken",
        f"The largest ratio is {instance.score:.6g}.",
        _as_verified(search.theorem, instance.evidence, instance.score, instance.horizon), None,
        instance.evidence, instance.run,
        {name: other.score for name, other in others.items()},
        {name: other.run for name, other in others.items()}, search=search,
    )  # fmt: skip


def _with_smaller(result: Falsification, instance: WorstInstance, small: ReducedInstance) -> Falsification:
    """Show the smaller instance, and keep the largest ratio beside it where that is another."""
    evidence = small.evidence
    ratio = _as_verified(result.theorem, evidence, small.score, evidence.horizons[-1])
    text, largest, run = f"The largest ratio is {small.score:.6g}.", None, None
    if small.score < instance.score:
        largest, run = result.ratio, result.run
        text = f"The largest ratio is {instance.score:.6g}; the smaller instance below has {small.score:.6g}."
    return replace(
        result,
        reason=text,
        ratio=ratio,
        worst=evidence,
        run=evidence.run.to_json(),
        largest=largest,
        largest_run=run,
    )


def _undecided_if_estimated(result: Falsification) -> Falsification:
    """Return "undecided" where a ratio above 1 rests on estimated constants."""
    if result.answer != "violated" or not _is_estimated(result.worst):
        return result
    text = f"{result.reason} That is above 1, but its constants are estimated, with an unknown error."
    return replace(result, answer="undecided", reason=text)


def _is_estimated(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.trust == "estimated"


def find_exact_violation(search: SearchResult) -> WorstInstance | None:
    """Return the worst instance above 1 that is exact and without estimated constants; None without one."""
    for instance in search.candidates:
        if (
            instance.score > 1 + ROUNDING
            and not instance.evidence.random
            and not _is_estimated(instance.evidence)
        ):
            return instance
    exact_pool = EvidencePool(
        [one for one in search.pool.pieces if not one.random and not _is_estimated(one)]
    )
    score, evidence = exact_pool.worst(search.theorem)
    if evidence is None or not score > 1 + ROUNDING:
        return None
    horizon = float(evidence.horizons[int(np.nanargmax(evidence.ratios(search.theorem)))])
    return WorstInstance(
        BOUND, score, evidence, horizon, truncated_run(evidence, horizon), "pool", plan_from_run(evidence.run)
    )


def _as_verified(theorem: Theorem, evidence: Evidence, score: float, horizon: float) -> float:
    """Return the ratio as ``boundkit verify`` computes it, without rounding error, where both agree."""
    if evidence.random or not np.isfinite(score):
        return score
    plain = replace(evidence, zero=0.0).ratios(theorem)[evidence.horizons == horizon]
    return float(plain[-1]) if plain.size and abs(plain[-1] - score) <= _CLOSE * abs(score) else score


def _sampled(
    result: Falsification, engine_options: EngineOptions | None, reduction_budget: ReductionBudget | None
) -> Falsification:
    """Decide the answer where the worst run is sampled: a ratio above 1 counts if fresh seeds confirm it."""
    theorem, search = result.theorem, result.search
    assert search is not None
    if result.answer == "not broken":
        return replace(result, reason=f"{result.reason} It is sampled, so that the instance is not reduced.")
    if search.interrupted:
        text = f"The search measured {result.ratio:.6g} on sampled runs and was interrupted."
        return replace(result, answer="undecided", reason=text)
    spec = _confirm_candidates(search, engine_options)
    if spec is None:
        text = (
            f"The search measured {result.ratio:.6g} on sampled runs, and no run with fresh seeds succeeded."
        )
        return replace(result, answer="undecided", reason=text)
    instance, confirmed = spec
    if confirmed.decision != "violated":
        return _unconfirmed(result, confirmed)
    remark, small = " The instance is not reduced.", None
    if reduction_budget is not None:
        small = _reduce(
            theorem, instance, engine_options or FastEngineOptions(replicas=REPLICAS), reduction_budget
        )
    if small is not None:
        again = _confirm_again(theorem, small, engine_options)
        if again is not None and again.decision == "violated":
            confirmed, remark = again, ""
    least = f"at least {confirmed.low:.6g} at the level {confirmed.alpha:g}"
    text = f"The ratio is {confirmed.ratio:.6g} on fresh seeds, {least}.{remark}"
    return _undecided_if_estimated(_with_confirmation(result, confirmed, text))


def _unconfirmed(result: Falsification, last: Confirmation) -> Falsification:
    """Return the answer where fresh seeds refute the violation or leave it undecided."""
    answer: Answer = "not broken"
    text = f"Fresh seeds do not confirm the ratio above 1 of the search: it is {last.ratio:.6g}."
    if last.decision == "undecided":
        answer = "undecided"
        text = (
            f"On fresh seeds the ratio lies between {last.low:.6g} and {last.high:.6g} at the level "
            f"{last.alpha:g}: {last.replicas} replicas do not decide it."
        )
    return replace(_with_confirmation(result, last, text), answer=answer)


def _with_confirmation(result: Falsification, confirmation: Confirmation, text: str) -> Falsification:
    """Replace the shown run by the one with fresh seeds, so that the report and the replay agree."""
    return replace(
        result, reason=text, ratio=confirmation.ratio, interval=(confirmation.low, confirmation.high),
        worst=confirmation.evidence, run=confirmation.evidence.run.to_json(),
    )  # fmt: skip


def _confirm_candidates(
    search: SearchResult, engine_options: EngineOptions | None
) -> tuple[WorstInstance, Confirmation] | None:
    """Return the first sampled candidate above 1 that is confirmed, else an undecided one, else the first.

    Candidates without estimated constants are first; a test of the others decides nothing.
    """
    theorem, confirmations = search.theorem, list[tuple[WorstInstance, Confirmation]]()
    above = [
        instance
        for instance in search.candidates
        if instance.score > 1 + ROUNDING and instance.evidence.random
    ]
    above.sort(key=lambda instance: _is_estimated(instance.evidence))
    for place, instance in enumerate(above[:CANDIDATES]):
        run = run_from_spec(theorem.algorithm, instance.run)
        try:
            confirmations.append(
                (instance, confirm(theorem, run, candidate=place + 1, engine_options=engine_options))
            )
        except BoundkitError:
            continue
        if confirmations[-1][1].decision == "violated":
            return confirmations[-1]
    undecided = [each for each in confirmations if each[1].decision == "undecided"]
    return next(iter(undecided or confirmations), None)


def _confirm_again(
    theorem: Theorem, small: ReducedInstance, engine_options: EngineOptions | None
) -> Confirmation | None:
    try:
        return confirm(theorem, small.evidence.run, candidate=CANDIDATES + 1, engine_options=engine_options)
    except BoundkitError:
        return None


def _reduce(
    theorem: Theorem,
    instance: WorstInstance,
    engine_options: EngineOptions | None,
    reduction_budget: ReductionBudget,
) -> ReducedInstance | None:
    """Reduce the instance; None where that fails, or where the plan is no longer available."""
    if instance.plan is None:
        return None
    plan = replace(instance.plan, rounds=instance.run["rounds"])
    try:
        return shrink(theorem, plan, bound_objective(theorem), engine_options, reduction_budget)
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return None
