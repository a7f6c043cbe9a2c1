"""Test every mutant of a theorem: by dimension, by proof, by stated relations, and by measurements."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, overload

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.notation import units_of
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.analysis.statement import statement
from boundkit.attack.evidence import Evidence, collect_evidence
from boundkit.attack.exact_instances import measure_exact_instances
from boundkit.attack.exact_instances.single_causes import (
    Scales,
    has_isolated_causes,
    sweep_term,
)
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.mutation.directed_instances import measure_directed_instances
from boundkit.attack.mutation.first_round import holds_from_second_round
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements, OrderSweep, order_sweeps, slope_contradiction
from boundkit.attack.mutation.mutant import OPEN, Mutant, MutantResult, mutant_result
from boundkit.attack.mutation.mutant_search import (
    equal_theorems,
    search_mutants,
    with_global_dissimilarity,
)
from boundkit.attack.mutation.provable_mutants import follows_from, prove_mutant
from boundkit.attack.mutation.reasons import explain_outcome
from boundkit.attack.mutation.report import Mutation, from_dict
from boundkit.attack.mutation.rescaled_steps import with_rescaled_steps
from boundkit.attack.mutation.second_order_drift import has_drift_of_second_order
from boundkit.attack.mutation.special_cases import as_special_case, special_cases
from boundkit.attack.mutation.stated_relations import find_undefined, find_violated_relation
from boundkit.attack.mutation.weaker_mutants import check_weaker, renames_constant
from boundkit.attack.stored_instances import replay_instances
from boundkit.simulation.atomic_files import write_text
from boundkit.simulation.run import Run
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.default_instances import default_runs
from boundkit.verification.engine_options import EngineOptions

Progress = Callable[[int, int], None]
LEAST_SEARCH = 0.5
"""Least fraction of the budget for the search."""
_NOT_REFUTED = ("inside slack", "not testable", "survived")
"""Outcomes that the search may still change."""


def mutate(
    theorem: Theorem,
    catalogue: Mapping[str, Theorem] | None = None,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    engine_options: EngineOptions | None = None,
    measurements: Iterable[Measurement] = (),
    progress: Progress | None = None,
) -> Mutation:
    """Test all mutants of the theorem.

    Parameters
    ----------
    catalogue : the theorems to which it reduces, by name.
    budget : seconds; the search for the remaining mutants has what is left of it, and half of it at least.
    evaluations : number of instances instead of the budget, so that the result is the same on every machine.
    measurements : further measurements, which are used as those of the default instances are.
    """
    began, report = perf_counter(), progress or (lambda done, total: None)
    every = generate_mutants(theorem)
    result: list[MutantResult | None] = []
    for place, one in enumerate(every):
        result.append(_timed(decide_symbolically, one, catalogue or {}))
        report(place + 1, 2 * len(every))
    evidence = Measurements(theorem, (*measure_instances(theorem, seed, engine_options), *measurements))
    slopes: dict[str, list[Scales]] = {}
    sweeps = order_sweeps(theorem, engine_options)
    for place, one in enumerate(every):
        if result[place] is None:
            result[place] = _timed(decide_on_runs, one, evidence, slopes, sweeps)
        report(len(every) + place + 1, 2 * len(every))
    _test_unproved(result, every, evidence)
    failed = _test_proofs(result, every)
    remaining = [place for place, one in enumerate(result) if one is not None and one.outcome in _NOT_REFUTED]
    search = max(budget - (perf_counter() - began), LEAST_SEARCH * budget)
    more = search_mutants(theorem, [every[k] for k in remaining], search, evaluations, seed, engine_options)
    if more:
        evidence = Measurements(theorem, (*evidence.pieces, *more))
        for place in remaining:
            result[place] = _timed(decide_on_runs, every[place], evidence, slopes, sweeps)
        _test_unproved(result, every, evidence)
    results = tuple(
        _with_nearest(one, every[place], evidence, failed.get(place, ""))
        for place, one in enumerate(result)
        if one is not None
    )
    above = _describe_violation(evidence.above())
    return Mutation(theorem.name, theorem.kind, results, len(evidence.low), perf_counter() - began, above)


def _test_unproved(
    result: list[MutantResult | None], every: Sequence[Mutant], measurements: Measurements
) -> None:
    """Test mutants that are weaker at random points, without a proof, on all measurements."""
    for place, one in enumerate(result):
        killer = (
            measurements.killer(every[place]) if one is not None and one.outcome == "not proved" else None
        )
        if killer is not None:
            result[place] = mutant_result(
                every[place], "killed", by=killer[1].stage, **_describe_violation(killer)
            )


def _test_proofs(result: list[MutantResult | None], every: Sequence[Mutant]) -> dict[int, str]:
    """Prove undecided mutants by certificates; return the step that fails for each of the others."""
    failed: dict[int, str] = {}
    for place, one in enumerate(result):
        if one is None or one.outcome not in OPEN:
            continue
        started = perf_counter()
        proof = prove_mutant(every[place])
        if proof is not None and proof.proved:
            numbers = " with other numbers" if proof.sharpened else ""
            reason = f"at least the last line of the proof of {proof.name}{numbers}, under its conditions"
            proved = mutant_result(every[place], "proved", reason=reason)
            result[place] = replace(proved, seconds=one.seconds + perf_counter() - started)
        elif base := follows_from(every[place]):
            reason = f"at least the bound of {base}, under its conditions"
            weaker = mutant_result(every[place], "weaker", reason=reason)
            result[place] = replace(weaker, seconds=one.seconds + perf_counter() - started)
        elif reason := _other_proof(every[place]):
            proved = mutant_result(every[place], "proved", reason=reason)
            result[place] = replace(proved, seconds=one.seconds + perf_counter() - started)
        elif proof is not None:
            failed[place] = f"{proof.name}, {proof.failed}"
    return failed


def _other_proof(mutant: Mutant) -> str:
    """Return what proves a mutant beside certificates for all points; empty where nothing does."""
    if holds_from_second_round(mutant):
        return "by the theorem's certificate from the second round on, and before by its gradients"
    if has_drift_of_second_order(mutant):
        return "by the theorem's certificate for small L/mu, and else by the loss before the last round"
    return ""


def _with_nearest(one: MutantResult, mutant: Mutant, measurements: Measurements, failed: str) -> MutantResult:
    """Return the result of an open mutant with the nearest instance and the step that fails."""
    if one.outcome not in OPEN:
        return one
    nearest = measurements.nearest(mutant)
    if nearest is None:
        return replace(one, failed=failed)
    ratio, piece, horizon = nearest
    return replace(one, failed=failed, ratio=ratio, instance=instance_of(piece, horizon))


def _timed(decide: Callable[..., MutantResult | None], *given: Any) -> MutantResult | None:
    started = perf_counter()
    result = decide(*given)
    return None if result is None else replace(result, seconds=perf_counter() - started)


def decide_symbolically(mutant: Mutant, catalogue: Mapping[str, Theorem]) -> MutantResult | None:
    """Test by dimension, by a proof that it is weaker, and by stated relations; None where none decides."""
    wrong = _units(mutant) or find_undefined(mutant)
    if wrong:
        return mutant_result(mutant, "killed", by="dimension", reason=wrong)
    only = check_weaker(mutant)
    if only is not None:
        slack = only.slack if np.isfinite(only.slack) else None
        if only.proved:
            if mutant.condition is None:
                text = "at least the theorem's bound everywhere, by the signs of the expanded difference"
            elif renames_constant(mutant):
                text = "the theorem's own condition, with another name for an unspecified constant"
            else:
                text = "the theorem's own condition follows from its other conditions and its assumptions"
            return mutant_result(mutant, "weaker", reason=text, slack=slack)
        text = (
            f"at least the theorem's bound at {only.points} random points inside the conditions, not proved"
        )
        return mutant_result(mutant, "not proved", reason=text, slack=slack)
    result = find_violated_relation(mutant, catalogue)
    return None if result is None else mutant_result(mutant, "killed", by=result[0], reason=result[1])


def _units(mutant: Mutant) -> str:
    """Return why the mutant is no theorem: its dimension, a division by zero; empty where it is one."""
    try:
        if mutant.expr is not None:  # the changed term first: it is most of the theorem's check, and cheap
            dimension = dimension_of(mutant.expr, units_of(mutant.expr))
            wanted = mutant.original.claim.dimension
            if dimension is not None and dimension != wanted:
                return f"its unit is {dimension}, and the claim has {wanted}"
        mutant.theorem  # noqa: B018  # building it is the check
    except BoundkitError as error:
        return str(error)
    return ""


def measure_instances(theorem: Theorem, seed: int, engine_options: EngineOptions | None) -> list[Measurement]:
    """Measure the theorem's own instances, and those of equal bounds and special cases of it."""
    if theorem.kind == "order" or reasons_unsupported(theorem):
        return []
    result = _instances(theorem, seed, engine_options)
    for other in equal_theorems(theorem):
        result += [_borrowed(piece, other) for piece in _instances(other, seed, engine_options)]
    for other in special_cases(theorem):
        for piece in _instances(other, seed, engine_options):
            result.append(as_special_case(theorem, piece, f"{_source_of(piece)}, of {other.name}"))
    return result


def _borrowed(piece: Measurement, other: Theorem) -> Measurement:
    return replace(piece, source={**piece.source, "said": f"{_source_of(piece)}, of {other.name}"})


def _instances(theorem: Theorem, seed: int, engine_options: EngineOptions | None) -> list[Measurement]:
    """Measure stored, default, directed and exact instances."""
    result = [
        measurement_of_evidence(piece)
        for piece in (*replay_instances(theorem).pieces, *_pieces(theorem, seed, engine_options))
    ]
    result += measure_directed_instances(theorem)
    result += [more for piece in result for more in with_global_dissimilarity(theorem, piece)]
    result += [same for piece in result for same in with_rescaled_steps(theorem, piece)]
    return [*result, *measure_exact_instances(theorem)]


def _pieces(theorem: Theorem, seed: int, engine_options: EngineOptions | None) -> list[Evidence]:
    pieces: list[Evidence] = []
    for _, run in default_runs(theorem, seed):
        try:
            pieces.append(collect_evidence(theorem, run, engine_options))
        except BoundkitError:
            continue  # the theorem does not apply, and so neither do its mutants
    return pieces


def decide_on_runs(
    mutant: Mutant,
    measurements: Measurements,
    slopes: dict[str, list[Scales]],
    sweeps: Sequence[OrderSweep] = (),
) -> MutantResult:
    """Test by measurements above the bound and by slopes, or explain why the mutant survives."""
    killer = measurements.killer(mutant)
    if killer is not None:
        return mutant_result(mutant, "killed", by=killer[1].stage, **_describe_violation(killer))
    contradiction = _slope_contradiction(mutant, slopes) or slope_contradiction(mutant, sweeps)
    if contradiction:
        return mutant_result(mutant, "killed", by="slope", reason=contradiction)
    outcome, why = explain_outcome(mutant, measurements)
    return mutant_result(mutant, outcome, reason=why)


@overload
def _describe_violation(result: tuple[float, Measurement, int]) -> dict[str, Any]: ...
@overload
def _describe_violation(result: None) -> None: ...
def _describe_violation(result: tuple[float, Measurement, int] | None) -> dict[str, Any] | None:
    """A value above a bound: the sentence, the ratio where it is a number, and what replays it."""
    if result is None:
        return None
    ratio, piece, horizon = result
    if np.isfinite(ratio):
        text = f"measured/bound is {ratio:.4g}"
    else:
        text = "it diverges" if np.isinf(piece.low[horizon]) else "measured where the bound is 0"
    return {
        "reason": f"{text} ({_source_of(piece)})",
        "ratio": ratio if np.isfinite(ratio) else None,
        "instance": instance_of(piece, horizon),
    }


def _slope_contradiction(mutant: Mutant, slopes: dict[str, list[Scales]]) -> str:
    """Return how a measured slope contradicts the changed term; empty where none does."""
    theorem = mutant.original
    if mutant.expr is None or mutant.kind == "constant" or not has_isolated_causes(theorem):
        return ""
    term = theorem.bound.terms[mutant.label]
    if mutant.label not in slopes:
        slopes[mutant.label] = sweep_term(theorem, term)
    for one in slopes[mutant.label]:
        if one.compare(term.expr)[0] == "violated":
            continue
        outcome, measured, predicted = one.compare(mutant.expr)
        if outcome == "violated":
            return f"in {one.quantity} the measured slope is {measured:.3f}, and the term's {predicted:.3f}"
    return ""


def instance_of(piece: Measurement, horizon: int) -> dict[str, Any]:
    """Return the instance that kills: the run up to that horizon, or the exact instance in words."""
    run = piece.source.get("run")
    if not isinstance(run, Run):
        return {**piece.source, "values": {n: float(v[horizon]) for n, v in piece.values.items()}}
    return {"run": replace(run, rounds=max(int(piece.values["T"][horizon]), 1)).to_json()}


def _source_of(piece: Measurement) -> str:
    return str(piece.source.get("said") or f"a run by the {piece.source.get('engine')} engine")


def mutate_all(
    theorems: Sequence[Theorem],
    catalogue: Mapping[str, Theorem],
    out: Path | None = None,
    fresh: bool = False,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    **options: Any,
) -> Iterator[Mutation]:
    """Yield the report on each theorem's mutants; ``options`` are those of ``mutate``.

    Reports are in the order of completion. With ``out`` every report is written there at once, and an
    existing one made of the same theorem and options by the same boundkit is read instead, unless ``fresh``.
    """
    source = _source()
    keys = [key_of(theorem=statement(t), options=options, mutants=source) for t in theorems]
    reports = resumable_map(
        _mutate_one, [(theorem, _needed(theorem, catalogue), options) for theorem in theorems],
        None if out is None else ResultStore(out, fresh),
        name=lambda place: f"{theorems[place].name}.json", key=keys.__getitem__, load=_load, save=_save,
        jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for _, report in reports:
        yield report


def _load(path: Path) -> Mutation:
    return from_dict(json.loads(read_json_text(path, MOST_RECORD)))


def _save(report: Mutation, path: Path | None) -> Mutation:
    if path is not None:
        write_text(path, json.dumps(report.to_dict(), allow_nan=False))
    return report


@cache
def _source() -> str:
    """Compute a digest of the source of this subpackage and of its stored instances."""
    root, digest = Path(__file__).resolve().parents[1], hashlib.sha256()
    for file in sorted((*root.rglob("*.py"), *root.rglob("[!.]*.json"))):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _needed(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> dict[str, Theorem]:
    """Return the theorems to which it reduces."""
    return {r.to: catalogue[r.to] for r in theorem.reductions if r.to in catalogue}


def _mutate_one(theorem: Theorem, catalogue: Mapping[str, Theorem], options: dict[str, Any]) -> Mutation:
    return mutate(theorem, catalogue, **options)
