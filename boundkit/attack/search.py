"""Search for the worst instance: stored, default and random instances, then local search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence, EvidencePool, SearchObjective, default_objectives
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.initial_instances import assumption_plans, initial_plans
from boundkit.attack.plan_values import Parametrisation
from boundkit.attack.random_instances import draw_plan
from boundkit.attack.search_state import (
    BudgetExhausted,
    Candidate,
    EvaluationBudget,
    SearchState,
    maximise,
)
from boundkit.attack.structured_instances import draw_family, drift_families
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance


@dataclass(frozen=True)
class WorstInstance:
    """The instance with the largest score for one objective, at one horizon of its run.

    ``run``: the RUN.json that replays it; ``family``: the family of its initial instance; ``plan``: its plan.
    """

    objective: str
    score: float
    evidence: Evidence = field(repr=False)
    horizon: float
    run: dict[str, Any] = field(repr=False)
    family: str
    plan: Instance | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class SearchResult(Reported):
    """Result of a search.

    Attributes
    ----------
    best : the worst instance by objective; objectives without an applicable instance are missing.
    candidates : the best instances for the first objective, from different initial instances.
    pool : all evidence.
    tried : number of evaluated plans.
    refused : number of rejected plans, by reason.
    families : number of applicable plans, by family.
    """

    theorem: Theorem
    objectives: tuple[SearchObjective, ...]
    best: Mapping[str, WorstInstance]
    candidates: tuple[WorstInstance, ...]
    pool: EvidencePool
    tried: int
    refused: Mapping[str, int]
    families: Mapping[str, int]
    seconds: float
    seed: int
    interrupted: bool = False

    def counts(self) -> str:
        """Return the number of evaluated instances, as a sentence."""
        refused = sum(self.refused.values())
        ended = "interrupted after " if self.interrupted else ""
        text = f"{ended}{self.tried} instances in {self.seconds:.1f} seconds (seed {self.seed})"
        left_out = f"; {refused} left out: the theorem does not apply to them, or they take too long"
        return text + (left_out if refused else "")

    def report(self) -> Report:
        """The worst instances, and how many were tried."""
        return Report((Heading(self._title()), Table(*self._columns()), Sentences([self.counts()])))

    def _title(self) -> str:
        return f"{self.theorem.name}: the worst instance"

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [name, f"{instance.score:.6g}", format_number(instance.horizon), instance.family]
            for name, instance in self.best.items()
        ]
        return ["for", "score", "T", "from"], rows


Progress = Callable[[int, int], None]
REPLICAS = 32
"""Replicas of a sampled run during the search; its result is tested again with fresh seeds."""
_GLOBAL_FRACTION = 0.5
"""Fraction of the search before the first local search."""
STRUCTURED_FRACTION = 0.5
"""Default fraction of the random instances that are of two kinds of clients."""
_EVALUATIONS_OF_LOCAL_SEARCH = 30
"""Evaluations of one local search."""


def search(
    theorem: Theorem,
    objectives: Sequence[SearchObjective] | None = None,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] = (),
    engine_options: EngineOptions | None = None,
    progress: Progress | None = None,
    interruptible: bool = False,
    local: bool = True,
    structured: float = STRUCTURED_FRACTION,
    initial: bool = True,
) -> SearchResult:
    """Find the worst instances of a theorem's class within ``budget`` seconds, for every objective.

    Parameters
    ----------
    objectives : None for the bound and each of its terms.
    evaluations : number of instances instead of the budget, so that the result is the same on every machine.
    starts : runs that are evaluated first.
    interruptible : whether Ctrl-C ends the search with its result so far, instead of raising.
    local : whether local searches follow in the second half of the budget, or random instances alone.
    structured : fraction of the random instances that are of two kinds of clients.
    initial : whether the search begins with the initial instances of the theorem.
    """
    chosen = tuple(default_objectives(theorem) if objectives is None else objectives)
    rng = np.random.default_rng(seed)
    clock = EvaluationBudget(budget, evaluations, progress)
    state = SearchState(theorem, chosen, engine_options or FastEngineOptions(replicas=REPLICAS), clock)
    interrupted = False
    try:
        for run in starts:
            state.replay(run)
        if initial:
            for family, plan in initial_plans(theorem):
                state.evaluate(family, plan)
            for structure in drift_families(theorem):
                state.evaluate_structure(structure)
        bases = assumption_plans(theorem)
        while clock.part < _GLOBAL_FRACTION:
            _draw(state, rng, bases, structured)
        while True:
            candidate = state.choose_candidate(rng) if local else None
            if candidate is None or rng.random() < 0.3:
                for _ in range(10):
                    _draw(state, rng, bases, structured)
            else:
                _search_locally(state, candidate, rng)
    except BudgetExhausted:
        pass
    except KeyboardInterrupt:
        if not interruptible:
            raise
        interrupted = True
    return _search_result(state, clock, seed, interrupted)


def _draw(state: SearchState, rng: np.random.Generator, bases: Sequence[Instance], structured: float) -> None:
    """Evaluate a random instance: with probability ``structured`` of few parameters, else of many."""
    if rng.random() < structured:
        state.evaluate_structure(draw_family(state.theorem, rng, bases).affordable())
    else:
        state.evaluate(*draw_plan(state.theorem, rng, bases))


def _search_locally(state: SearchState, candidate: Candidate, rng: np.random.Generator) -> None:
    """Run one local search from a candidate, for one objective."""
    if candidate.plan is None:
        return
    structure = candidate.structure
    parametrisation = structure or Parametrisation(state.theorem, candidate.plan)
    if not len(parametrisation):
        return

    def score(vector: Any) -> float:
        moved = None if structure is None else structure.at(vector)
        return state.step(candidate, lambda: parametrisation.plan(vector), moved)

    before = state.best_score(candidate.objective)
    maximise(score, parametrisation.zeros, _EVALUATIONS_OF_LOCAL_SEARCH, rng)
    state.update_progress(candidate.objective, before)


def _search_result(state: SearchState, clock: EvaluationBudget, seed: int, interrupted: bool) -> SearchResult:
    instances = [
        [_worst_instance(state, candidate) for candidate in candidates] for candidates in state.candidates
    ]
    best = {
        objective.name: result[0]
        for objective, result in zip(state.objectives, instances, strict=True)
        if result
    }
    return SearchResult(
        state.theorem, tuple(state.objectives), best, tuple(instances[0]), EvidencePool(state.pieces),
        clock.done, dict(state.refused), dict(state.families), clock.seconds, seed, interrupted,
    )  # fmt: skip


def _worst_instance(state: SearchState, candidate: Candidate) -> WorstInstance:
    run = truncated_run(candidate.evidence, candidate.horizon)
    name = state.objectives[candidate.objective].name
    return WorstInstance(
        name, candidate.score, candidate.evidence, candidate.horizon, run, candidate.family, candidate.plan
    )


def truncated_run(evidence: Evidence, horizon: float) -> dict[str, Any]:
    """Return the RUN.json of the first rounds of a run, up to a horizon."""
    run, last = evidence.run, float(evidence.horizons[-1])
    spec = run.to_json()
    if np.isfinite(horizon) and horizon < last:
        spec["rounds"] = run.rounds - round(last - horizon)
    return spec
