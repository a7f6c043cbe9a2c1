"""Search with mutants as objectives; its measurements serve all mutants.

A run determines beta = 1 with the kappa of its largest dissimilarity. The bound also holds with the pair of
constants on the whole space, with beta > 1, which gives weight to terms with beta^2 - 1. FedNova weighs
clients as the objective does, so that its runs do not test other weights; FedAvg with unequal steps has the
same bound.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import C, beta, eta_s, kappa
from boundkit.attack.candidate import make_candidate_run
from boundkit.attack.evidence import (
    SearchObjective,
    bound_objective,
    collect_evidence,
    term_objective,
)
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.initial_instances import nearly_tight_plans
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.mutation.directed_instances import measure
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.relaxed_conditions import measure_relaxed_condition
from boundkit.attack.search import search
from boundkit.attack.search_state import BudgetExhausted, EvaluationBudget
from boundkit.attack.stored_instances import stored_runs
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.theorems import catalogue
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.context import objective_of_constants
from boundkit.verification.default_instances import default_instances
from boundkit.verification.dissimilarity import dissimilarity_everywhere
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

MOST = 24
"""Largest number of mutants that are objectives; the others are tested on the same measurements."""
ON_CONDITIONS = 0.4
"""Fraction of the search outside the conditions, where there are relaxed ones."""

_ABOVE_LEAST = (1 + 1e-9, 1.1, 1.5, 4.0)
"""beta^2 as multiples of its least value; at the first, kappa is large unless the minimisers are equal."""
_CROWD, _PRODUCTS = 402, (2.4, 1.2, 0.6)
"""Number of clients, and eta_s eta in units of 1/L: gradient descent diverges from 2 on."""
_SERVERS, _ROUNDS = (1e-3, 1e2), 200
_FEW_ROUNDS, _FEW_STEPS = 30, 16
_LONGER = 12, 60
"""Least and largest number of runs outside the conditions, where evaluations are counted."""


def search_mutants(
    theorem: Theorem,
    left: Sequence[Mutant],
    budget: float,
    evaluations: int | None,
    seed: int,
    engine_options: EngineOptions | None,
) -> list[Measurement]:
    """Return the measurements of a search for the remaining mutants."""
    if not left or evaluations == 0 or theorem.kind == "order" or reasons_unsupported(theorem):
        return []
    relaxed = [one for one in left if one.condition is not None]
    part = ON_CONDITIONS if relaxed else 0.0
    searches = [(theorem, mutant_objectives(theorem, left), 1 - part)] if len(relaxed) < len(left) else []
    searches += [(one.theorem, [bound_objective(one.theorem)], part / len(relaxed)) for one in relaxed]
    clock = EvaluationBudget(part / 2 * budget, _runs(evaluations))
    result = _further(relaxed, clock)
    for one in relaxed:
        result += _at_the_limit(one, Measurements(theorem, tuple(result)))
        if evaluations is None and clock.seconds > clock.budget:
            break
    names = stored_runs(theorem)
    for target, objectives, share in searches:
        count = None if evaluations is None else max(int(share * evaluations), 1)
        attack = search(
            target,
            objectives,
            budget=share * budget,
            evaluations=count,
            seed=seed,
            starts=names,
            engine_options=engine_options,
        )
        result += [measurement_of_evidence(piece, "falsifier") for piece in attack.pool.pieces]
    return result


def _at_the_limit(relaxed: Mutant, known: Measurements) -> list[Measurement]:
    """Return measurements at the limit of a relaxed condition, unless one that is known refutes it."""
    return [] if known.pieces and known.killer(relaxed) else list(measure_relaxed_condition(relaxed))


def _runs(evaluations: int | None) -> int | None:
    """Return the number of runs outside the conditions, where evaluations are counted."""
    return None if evaluations is None else min(max(evaluations, _LONGER[0]), _LONGER[1])


def _further(relaxed: Sequence[Mutant], clock: EvaluationBudget) -> list[Measurement]:
    """Measure runs as far outside a condition as it was relaxed, each once, alternating between mutants."""
    result: list[Measurement] = []
    evidence: set[str] = set()
    turns = zip_longest(*(_longer(one) for one in relaxed))
    for run in (run for turn in turns for run in turn if run is not None):
        spec = json.dumps(run.to_json(), sort_keys=True, default=str)
        if spec in evidence:
            continue
        evidence.add(spec)
        try:
            clock.tick()
        except BudgetExhausted:
            break
        result += measure(partial(collect_evidence, relaxed[0].original, run, FastEngineOptions()))
    return result


def _longer(relaxed: Mutant) -> Iterator[Run]:
    """Yield the runs for one condition; small server steps allow large client steps."""
    theorem, times = relaxed.theorem, relaxed.times
    falls = theorem.assumes("decaying-step")  # every step is another, and takes as long as its first
    most = _FEW_ROUNDS if falls else _ROUNDS
    for plan in (*_crowds(theorem), *nearly_tight_plans(theorem), *default_instances(theorem)):
        steps = np.minimum(plan.local_steps, _FEW_STEPS).tolist() if falls else plan.local_steps
        for variant in _stretched(
            theorem, replace(plan, rounds=min(plan.rounds, most), local_steps=steps), times
        ):
            try:
                run = make_candidate_run(theorem, variant)
            except (BoundkitError, ArithmeticError):
                continue
            if run.offset is not None:  # the first is as much larger as it begins later
                run = replace(run, offset=run.offset / times, eta=run.eta * times)
            yield run


def _crowds(theorem: Theorem) -> Iterator[Instance]:
    """Yield many homogeneous clients with full participation, and one cycle of homogeneous groups."""
    if theorem.assumes("cyclic-participation") and not theorem.rules:
        line, two = Quadratic([1.0] * 4, np.zeros((4, 1))), {"kind": "cyclic", "groups": 2}
        for length in (0.5, 0.8, 1.2, 1.6):  # of the whole cycle, in units of 1/L
            yield Instance("a cycle", line, eta=length / 2, participation=two, rounds=2, x0=np.ones(1))
    if not {eta_s, C} <= set(theorem.quantities) or theorem.rules:
        return
    crowd = Quadratic([1.0] * _CROWD, np.zeros((_CROWD, 1)))
    for both in _PRODUCTS:
        yield Instance("a crowd", crowd, 1, 1.0, eta=0.1, eta_s=both / 0.1, rounds=60, x0=np.ones(1))


def _stretched(theorem: Theorem, plan: Instance, times: int) -> Iterator[Instance]:
    """Yield a plan at the relaxed condition, by its kind."""
    yield plan
    if isinstance(plan.eta, float):
        yield replace(plan, eta=plan.eta * times)
    if "gamma" in plan.options:
        yield replace(plan, options={**plan.options, "gamma": plan.options["gamma"] * times})
    if eta_s in theorem.quantities and not theorem.rules:
        yield from (replace(plan, eta_s=server) for server in _SERVERS)


def mutant_objectives(theorem: Theorem, left: Sequence[Mutant]) -> list[SearchObjective]:
    """Return the objectives: the bound, the terms with changed constants, and each of the other mutants."""
    terms = {one.label: None for one in left if one.label and theorem.kind == "upper"}
    shapes = [one for one in left if one.condition is None and one.kind != "constant"]
    own = [mutant_objective(one) for one in shapes[:MOST]]
    return [bound_objective(theorem), *(term_objective(theorem, label) for label in terms), *own]


def mutant_objective(mutant: Mutant) -> SearchObjective:
    """Return measured over the mutant's bound; above 1 it is killed."""
    wrong = mutant.theorem
    return SearchObjective(f"mutant: {mutant.what}", lambda pool: pool.ratios(wrong))


def with_global_dissimilarity(theorem: Theorem, piece: Measurement) -> list[Measurement]:
    """Return the measurement with pairs of beta and kappa on the whole space, where the theorem has both."""
    run = piece.source.get("run")
    if not isinstance(run, Run) or not {beta, kappa} <= set(theorem.quantities):
        return []
    text = f"a run by the {piece.source.get('engine')} engine, with beta and kappa on all of space"
    result = []
    for above in _ABOVE_LEAST:
        try:
            slope, rest = (
                each.value
                for each in dissimilarity_everywhere(
                    objective_of_constants(theorem, run)[0], run.x0, above=above
                )
            )
        except (BoundkitError, np.linalg.LinAlgError):
            return []
        if slope > 1 and np.isfinite(rest):
            pair = {"beta": np.full_like(piece.low, slope), "kappa": np.full_like(piece.low, rest)}
            result.append(
                replace(piece, values={**piece.values, **pair}, source={**piece.source, "said": text})
            )
    return result


def equal_theorems(theorem: Theorem) -> Iterator[Theorem]:
    """Yield catalogued theorems that are stated to reduce to this one without change, and do.

    >>> from boundkit.theorems import theorem
    >>> [other.name for other in equal_theorems(theorem("fednova_nonconvex"))]
    ['fedavg_nonconvex_unequal_steps']
    """
    for other in catalogue().values():
        text = any(
            r.to == theorem.name and r.holds and not (r.when or r.factors or r.leaves)
            for r in other.reductions
        )
        if text and other.name != theorem.name and _states_the_same(other, theorem):
            yield other


def _states_the_same(one: Theorem, other: Theorem) -> bool:
    """Check whether claim, conditions and terms agree."""
    return (
        one.claim == other.claim
        and one.kind == other.kind
        and set(one.quantities) == set(other.quantities)
        and set(one.step_size) == set(other.step_size)
        and set(one.requires) == set(other.requires)
        and {t.label: t.expr for t in one.terms} == {t.label: t.expr for t in other.terms}
    )
