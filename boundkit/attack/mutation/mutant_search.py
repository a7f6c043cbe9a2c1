"""Search with mutants as objectives; its measurements serve all mutants."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import C, eta_s
from boundkit.attack.candidate import make_candidate_run
from boundkit.attack.evidence import Evidence, Objective, bound_objective, collect_evidence, term_objective
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.infinite_clients import InfiniteEvidence, infinite_clients_apply, measure_drift_instances
from boundkit.attack.initial_instances import nearly_tight_plans
from boundkit.attack.mutation.measurements import Measurement, measurement_of_evidence
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.search import search
from boundkit.attack.search_state import BudgetExhausted, Clock
from boundkit.attack.stored_instances import stored_runs
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.default_instances import default_instances
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

MOST = 24
"""Largest number of mutants that are objectives; the others are tested on the same measurements."""
ON_CONDITIONS = 0.4
"""Fraction of the search outside the conditions, where there are relaxed ones."""

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
    result = _further(relaxed, Clock(part / 2 * budget, _runs(evaluations)))
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


def _runs(evaluations: int | None) -> int | None:
    """Return the number of runs outside the conditions, where evaluations are counted."""
    return None if evaluations is None else min(max(evaluations, _LONGER[0]), _LONGER[1])


def _further(relaxed: Sequence[Mutant], clock: Clock) -> list[Measurement]:
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
    """Yield many homogeneous clients with full participation."""
    if not {eta_s, C} <= set(theorem.quantities) or theorem.rules:
        return
    crowd = Quadratic([1.0] * _CROWD, np.zeros((_CROWD, 1)))
    for product in _PRODUCTS:
        yield Instance("a crowd", crowd, 1, 1.0, eta=0.1, eta_s=product / 0.1, rounds=60, x0=np.ones(1))


def _stretched(theorem: Theorem, plan: Instance, times: int) -> Iterator[Instance]:
    """Yield a plan at the relaxed condition, by its kind."""
    yield plan
    if isinstance(plan.eta, float):
        yield replace(plan, eta=plan.eta * times)
    if "gamma" in plan.options:
        yield replace(plan, options={**plan.options, "gamma": plan.options["gamma"] * times})
    if eta_s in theorem.quantities and not theorem.rules:
        yield from (replace(plan, eta_s=server) for server in _SERVERS)


def measure(piece: Callable[[], Evidence]) -> Iterator[Measurement]:
    """Yield the measurement of a piece of evidence; nothing where the theorem does not apply."""
    try:
        with np.errstate(all="ignore"):
            yield measurement_of_evidence(piece(), "falsifier")
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return


def mutant_objectives(theorem: Theorem, left: Sequence[Mutant]) -> list[Objective]:
    """Return the objectives: the bound, the terms with changed constants, and each of the other mutants."""
    terms = {one.label: None for one in left if one.label and theorem.kind == "upper"}
    shapes = [one for one in left if one.condition is None and one.kind != "constant"]
    own = [mutant_objective(one) for one in shapes[:MOST]]
    return [bound_objective(theorem), *(term_objective(theorem, label) for label in terms), *own]


def mutant_objective(mutant: Mutant) -> Objective:
    """Return measured over the mutant's bound; above 1 it is killed."""
    wrong = mutant.theorem
    return Objective(f"mutant: {mutant.what}", lambda pool: pool.ratios(wrong))


def measure_infinite_clients(theorem: Theorem) -> list[Measurement]:
    """Return the measurements of infinitely many clients, where the theorem applies to them."""
    if not infinite_clients_apply(theorem):
        return []
    try:
        return [_of_infinite(piece) for piece in measure_drift_instances(theorem)]
    except BoundkitError:
        return []


def _of_infinite(piece: InfiniteEvidence) -> Measurement:
    source = {"said": "infinitely many clients", "infinite": dict(piece.instance)}
    return Measurement(piece.values, piece.low, piece.high, piece.zero, source)
