"""Test a theorem on runs of its algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.evaluate import satisfied
from boundkit.analysis.predict import Prediction, predict
from boundkit.analysis.progress import Progress
from boundkit.report.formatting import format_count, join_names
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import exact_trajectory
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.simulation.simulate import as_run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.applicability import (
    check_function_class,
    describe_violation,
    reasons_not_applicable,
    reasons_unsupported,
    step_condition,
    untested_assumptions,
    violation_before_run,
)
from boundkit.verification.checks import Check
from boundkit.verification.checks.bound_comparison import (
    agreement_check,
    lower_bound_check,
    upper_bound_check,
)
from boundkit.verification.checks.fixed_point import fixed_point_check, rounding_error
from boundkit.verification.checks.order_level import order_checks
from boundkit.verification.checks.slopes import error_floor_check, slope_checks
from boundkit.verification.claims import add_observables, measure_claim, measure_claim_by_round
from boundkit.verification.constants import (
    arguments_at_horizon,
    local_model_check,
    measure_constants,
    theorem_arguments,
    with_estimated_constants,
)
from boundkit.verification.context import EvaluationContext
from boundkit.verification.default_instances import default_runs
from boundkit.verification.dissimilarity import rounds_with_dissimilarity
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of
from boundkit.verification.verdict import Answer, Case, Curves, Verdict

__all__ = ["step_condition", "verify", "verify_order_level"]
BOUND_CHECKS = ("upper", "lower")
"""The checks that compare the measured quantity with the bound."""
_ORDER: tuple[Answer, ...] = ("violated", "undecided", "holds", "not applicable")


@np.errstate(over="ignore", invalid="ignore")
def verify(
    theorem: Theorem,
    /,
    problem: Problem | Run | None = None,
    *,
    engine: str = "auto",
    replicas: int = 100,
    dtype: str = "float64",
    device: str = "cpu",
    arrays: str = "auto",
    slopes: bool | None = None,
    quick: bool = False,
    progress: Progress | None = None,
    **settings: Any,
) -> Verdict:
    """Verify a theorem: on a run, or on the default instances of its class.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    problem : Problem or Run, optional
        The problem, or a run with its settings; default instances without it.
    engine : str
        "auto" (exact moments where there are any, else every step on ``replicas`` replicas), "exact",
        "collapsed" or "step".
    replicas : int
        Independent runs where the run is sampled.
    dtype, device, arrays : str
        As for ``simulate``.
    slopes : bool, optional
        Whether to test the scaling of each term and the error floors of single causes, which are exact and
        do not depend on the run; by default unless ``quick``.
    quick : bool
        Whether all but the first few default instances are omitted. An order-level bound is tested on sweeps
        of its quantities, and ``quick`` without ``slopes`` ends them with the first conclusive one.
    progress : callable, optional
        ``progress(done, total)``.
    **settings
        The settings of ``simulate``, of a problem.

    Returns
    -------
    Verdict
        The answer, measured/bound with its interval, constants and checks; ``to_dataset()`` has the curves.

    Raises
    ------
    BoundkitError
        Where the problem is not of the theorem's function class.

    Examples
    --------
    >>> import boundkit as bk
    >>> problem = bk.Quadratic(hessians=[1.0, 1.0], centers=[[0.0], [2.0]])
    >>> bk.verify("sgd_nonconvex", problem, rounds=5, eta=0.1).answer
    'holds'
    """
    unsupported = reasons_unsupported(theorem)
    if unsupported and not isinstance(problem, Run):
        return _not_testable(theorem, unsupported)
    engine_options = EngineOptions(engine, replicas, dtype, device, arrays)
    slopes = not quick if slopes is None else slopes
    if problem is None and not set(settings) - {"seed"}:
        if theorem.kind == "order":
            return verify_order_level(
                theorem, engine_options, settings.get("seed", 0), quick and not slopes, progress
            )
        runs = list(default_runs(theorem, settings.get("seed", 0), quick))
        return _on_instances(theorem, runs, engine_options, slopes, progress)
    run = problem if isinstance(problem, Run) else as_run(theorem.algorithm, problem, **settings)
    if theorem.kind == "order":
        reason = (
            "its constants are unspecified, so that no single run decides; verify its scaling without a run"
        )
        return _not_testable(theorem, [reason], run=run.to_json())
    verdict = _on_run(theorem, run, engine_options, progress)
    return _with_slopes(verdict) if slopes and verdict.answer != "not applicable" else verdict


def _compare_with_bound(context: EvaluationContext, measured: Estimate, bound: Prediction) -> Check:
    if context.theorem.kind == "lower":
        return lower_bound_check(measured, bound, context.run.rounds)
    zero = 0.0 if float(bound.total) else rounding_error(context)
    rounds = context.run.rounds if context.theorem.claim.summary == "first" else inf
    return upper_bound_check(measured, bound, zero, rounds)


def _diverged(theorem: Theorem, reason: str) -> Check:
    name = "lower" if theorem.kind == "lower" else "upper"
    return Check(name, "violated", reason, {"ratio": None, "interval": None})


def _on_run(theorem: Theorem, run: Run, engine_options: EngineOptions, progress: Progress | None) -> Verdict:
    unsupported = reasons_unsupported(theorem)
    if unsupported:
        return _not_testable(theorem, unsupported, run=run.to_json())
    check_function_class(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        reason = f"The theorem does not apply to this run: {'; '.join(reasons)}."
        return Verdict(theorem, "not applicable", reason, run=run.to_json())
    run = add_observables(theorem, run)
    violation, constants = violation_before_run(theorem, run)
    if violation:
        return Verdict(theorem, "not applicable", violation, constants=constants, run=run.to_json())
    whole = engine_options.trajectory(theorem, run, progress)
    run, recorded = rounds_with_dissimilarity(theorem, run, whole)
    run, exact = with_estimated_constants(theorem, run, recorded), _exact(run, recorded)
    try:
        constants = measure_constants(run, exact or recorded, theorem)
        arguments = theorem_arguments(theorem, run, constants, recorded)
    except BoundkitError as error:
        return _missing_constant(theorem, run, error)
    try:
        bound = predict(theorem, **arguments)
    except BoundkitError as error:  # the constants of the run violate a requirement
        reason = f"The theorem does not apply to this run: {error}"
        return Verdict(theorem, "not applicable", reason, constants=constants, run=run.to_json())
    used = {n: c for n, c in constants.items() if n in arguments}
    base = Verdict(
        theorem, "holds", "", engine=recorded.engine, replicas=recorded.replicas if recorded.random else None,
        constants=used, prediction=bound, run=run.to_json(), settings=recorded.settings,
    )  # fmt: skip
    if not bound.holds:
        return replace(base, answer="not applicable", reason=describe_violation(bound, run))
    of_small_steps = theorem.claim.summary == "limit" and not theorem.step_size
    if recorded.outcome == "diverged" and not of_small_steps:
        reason = f"The run diverged in round {recorded.diverged_at}, inside the step-size condition."
        return replace(base, answer="violated", reason=reason, checks=(_diverged(theorem, reason),))
    if recorded.outcome == "waiting":
        reason = "The run never started: some client never participated."
        return replace(base, answer="not applicable", reason=reason)
    context = context_of(theorem, run, recorded)
    try:
        measured = measure_claim(context)
    except BoundkitError as error:
        return _missing_constant(theorem, run, error)
    checks = [_compare_with_bound(context, measured, bound)]
    if exact is not None and exact.outcome == "done" and recorded.engine != "exact":
        checks.append(agreement_check(context, measured, exact))
    if theorem.kind == "upper" and theorem.claim.summary not in ("first", "limit"):
        checks.append(fixed_point_check(theorem, run))
    checks += local_model_check(run)
    checks += [Check(f"assumption {name}", "not tested", "no check of it is available")
               for name in untested_assumptions(theorem)]  # fmt: skip
    verdict = _answered(
        replace(base, measured=measured, checks=tuple(checks), curves=_curves(context, arguments))
    )
    if whole.outcome == "diverged" and verdict.answer == "holds" and not of_small_steps:
        reason = (
            f"The run diverged in round {whole.diverged_at}, and its dissimilarity with it, so that no "
            f"constant bounds it; the bound holds for its first {run.rounds} rounds."
        )
        return replace(verdict, answer="not applicable", reason=reason)
    return verdict


def _missing_constant(theorem: Theorem, run: Run, error: BoundkitError) -> Verdict:
    """The verdict where a constant of a network is not available; raises the error for other problems."""
    if not run.problem.large:
        raise error
    reason = f"A constant of the theorem is not available for this network: {error}"
    return Verdict(theorem, "not applicable", reason, run=run.to_json())


def _exact(run: Run, recorded: Trajectory) -> Trajectory | None:
    """Exact expectations of the run, where they are available."""
    return recorded if recorded.engine == "exact" else exact_trajectory(run)


def _not_testable(theorem: Theorem, reasons: list[str], **fields: Any) -> Verdict:
    sentence = f"No run can test the theorem: {'; '.join(reasons)}."
    return Verdict(theorem, "not applicable", sentence, **fields)


def _curves(context: EvaluationContext, arguments: dict[str, float]) -> Curves | None:
    """Measurement and bound at every horizon; None where the step sizes depend on the last one."""
    theorem = context.theorem
    if theorem.rules or theorem.claim.summary in ("first", "limit"):
        return None
    measured, low, high = measure_claim_by_round(context)
    rounds = len(measured)
    horizon = np.arange(1.0, rounds + 1)
    defined = np.ones(rounds, dtype=bool)  # a theorem may require a minimal duration
    for relation in theorem.requires:
        defined &= satisfied(relation, arguments_at_horizon(arguments, rounds, horizon))
    horizon, measured, low, high = horizon[defined], measured[defined], low[defined], high[defined]
    bound = predict(theorem, **arguments_at_horizon(arguments, rounds, horizon))
    terms = {label: np.broadcast_to(values, horizon.shape) for label, values in bound.arrays.items()}
    return Curves(horizon, terms, measured, np.maximum(low, 0.0), high)


def _answered(verdict: Verdict) -> Verdict:
    """The verdict with the answer that follows from its checks."""
    failed = [c for c in verdict.checks if c.outcome == "violated"]
    upper_check = next((c for c in verdict.checks if c.name in BOUND_CHECKS), None)
    if failed:
        sentences = "; ".join(f"{c.name}: {c.sentence}" for c in failed)
        return replace(verdict, answer="violated", reason=f"A check failed: {sentences}.")
    if upper_check is not None and upper_check.outcome == "undecided":
        more = "rounds" if upper_check.numbers["ratio"] is None else "replicas"
        return replace(verdict, answer="undecided", reason=f"{upper_check.sentence}: use more {more}.")
    reason = upper_check.sentence if upper_check is not None else "no run was made"
    return replace(verdict, answer="holds", reason=f"The bound holds: {reason}, constants {verdict.trust}.")


def _with_slopes(verdict: Verdict) -> Verdict:
    theorem = verdict.theorem
    if theorem.kind != "upper" and not theorem.rules:
        return verdict
    reason = ""
    if theorem.rules:
        reason = "the steps follow T by a rule, so that no term is isolated"
    elif theorem.assumes("decaying-step"):
        reason = "with decreasing steps there is no error floor at which a single term could be isolated"
    elif theorem.claim.summary == "limit" and eta not in theorem.quantities:
        reason = "the claim is a limit in rounds and step sizes, and no longer depends on them"
    else:
        try:
            checks, _ = slope_checks(theorem)
            checks = [error_floor_check(theorem), *checks]
        except BoundkitError as error:
            reason = f"no instance isolates a single error source: {error}"
    if reason:
        checks = [Check("slopes", "not tested", reason)]
    return _answered(replace(verdict, checks=(*verdict.checks, *checks)))


def verify_order_level(
    theorem: Theorem,
    engine_options: EngineOptions,
    seed: int = 0,
    quick: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """The verdict on an order-level bound, by its sweeps; ``quick`` ends with the first conclusive one."""
    try:
        checks = tuple(order_checks(theorem, None, engine_options, seed, quick, progress))
    except BoundkitError as error:
        return _not_testable(theorem, [str(error).rstrip(".")])
    tested = [c for c in checks if c.outcome != "not tested"]
    if not tested:
        reason = checks[0].sentence if checks else "it has no quantity that a run could vary"
        return _not_testable(theorem, [reason.rstrip(".")], checks=checks)
    sampled = any(c.numbers["sampled"] for c in tested)
    engine = " and ".join(sorted({name for c in tested for name in c.numbers["engines"]}))
    replicas = engine_options.replicas if sampled else None
    base = Verdict(theorem, "holds", "", engine=engine, replicas=replicas, checks=checks)
    failed = [c for c in tested if c.outcome == "violated"]
    if failed:
        sentences = "; ".join(f"{c.name}: {c.sentence}" for c in failed)
        return base.with_answer(
            "violated", f"The measured quantity grows faster than its bound: {sentences}."
        )
    quantities = join_names([str(c.numbers["letter"]) for c in tested])
    sampling = _sampling_sentence(tested, engine_options)
    reason = f"Up to constants: nothing grows faster than the bound in {quantities}. {sampling}"
    return base.with_answer(
        "holds", reason + (" Quick: the first conclusive sweep is the last." if quick else "")
    )


def _sampling_sentence(tested: list[Check], engine_options: EngineOptions) -> str:
    """The effect of seed and replicas, which is none where no run was sampled."""
    sampled = [str(c.numbers["letter"]) for c in tested if c.numbers["sampled"]]
    if not sampled:
        return "Nothing was sampled, so that seed and replicas have no effect."
    exact = len(tested) - len(sampled)
    of = f"The sweep{'s' if len(sampled) > 1 else ''} of {join_names(sampled)}" if exact else "Every run"
    verb = "take" if exact and len(sampled) > 1 else "takes"
    return f"{of} {verb} the mean of {format_count(engine_options.replicas, 'replica')}."


def _on_instances(
    theorem: Theorem,
    runs: list[tuple[str, Run]],
    engine_options: EngineOptions,
    slopes: bool,
    progress: Progress | None,
) -> Verdict:
    """The worst verdict over the default instances, with a line for each."""
    verdicts: list[Verdict] = []
    cases: list[Case] = []
    report: Callable[[int, int], None] = progress or (lambda done, total: None)
    for i, (name, run) in enumerate(runs):
        v = _on_run(theorem, run, engine_options, None)
        verdicts.append(v)
        cases.append(Case(name, v.answer, v.ratio, v.interval, v.trust or "", v.engine, v.run))
        report(i + 1, len(runs))
    sign = -1 if theorem.kind != "lower" else 1
    worst = min(verdicts, key=lambda v: (_ORDER.index(v.answer), v.ratio is None, sign * (v.ratio or 0.0)))
    worst = replace(worst, cases=tuple(cases))
    return _with_slopes(worst) if slopes and worst.answer != "not applicable" else worst
