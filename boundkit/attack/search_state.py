"""State of a search: evaluated and rejected plans, and the best candidates for each objective.

Local search from a starting point is that of scipy, by COBYQA, with a fixed number of evaluations.

Measured by ``benchmarks/falsify.py`` with 400 instances, six theorems and two seeds: with random instances of
many parameters alone the worst measured/bound is 0.679 and the mean necessary share of a term 0.373; where
half of them are of two kinds of clients, 0.672 and 0.398; where local searches of 30 evaluations follow in
the second half of the budget, 0.692 and 0.406. Nelder-Mead, Powell, differential evolution and random changes
of few coordinates gained less.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate import TooCostly, evaluate_candidate, refuse_costly
from boundkit.attack.evidence import Evidence, EvidencePool, NotApplicable, SearchObjective, collect_evidence
from boundkit.attack.plan_values import plan_from_run
from boundkit.attack.structured_instances import STRUCTURED, TwoKinds
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.instance import Instance

Array = NDArray[np.float64]
WORST = 1e9
"""The value of a rejected neighbour, which is minimised."""


class _BudgetSpent(Exception):
    pass


def maximise(
    score_at: Callable[[Array], float], start: Array, evaluations: int, rng: np.random.Generator
) -> None:
    """Maximise ``score_at`` from a starting point by COBYQA, with a first step of random size."""
    from scipy.optimize import minimize

    remaining = evaluations

    def negated(vector: Array) -> float:
        nonlocal remaining
        remaining -= 1
        if remaining < 0:
            raise _BudgetSpent
        return -compress_score(score_at(np.asarray(vector, dtype=np.float64)))

    radius = float(10 ** rng.uniform(-1.5, 0.3))
    with suppress(_BudgetSpent):
        options: Any = {"initial_tr_radius": radius, "maxfev": evaluations}
        minimize(negated, start, method="COBYQA", options=options)


def compress_score(value: float) -> float:
    """Return a monotone function of a score of moderate size: shares may be -10^5."""
    if not np.isfinite(value):
        return float(np.copysign(WORST, value))
    return float(np.sign(value) * np.log1p(abs(value)))


def refuse_limits(budget: object, evaluations: object, seed: object) -> None:
    """Raise BoundkitError for a budget that is not finite and positive, and for an invalid seed."""
    if not isinstance(budget, Real) or not 0 < float(budget) < inf:
        raise BoundkitError(f"the budget must be finite and above 0 seconds, but it is {budget!r}.")
    for name, value, least in (("evaluations", evaluations, 1), ("seed", seed, 0)):
        if value is None and name == "evaluations":
            continue
        if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
            raise BoundkitError(f"{name} must be a whole number, at least {least}, but it is {value!r}.")


class BudgetExhausted(Exception):
    """The budget of the search is exhausted."""


class EvaluationBudget:
    """Counts evaluations against a budget of seconds, or against a number of them."""

    def __init__(
        self, budget: float, evaluations: int | None, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self.budget, self.evaluations, self.progress = budget, evaluations, progress
        self.begun, self.done = time.monotonic(), 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.begun

    @property
    def part(self) -> float:
        """The used fraction of the budget."""
        if self.evaluations is not None:
            return self.done / max(self.evaluations, 1)
        return self.seconds / max(self.budget, 1e-9)

    def tick(self) -> None:
        """Begin one evaluation. Raises BudgetExhausted where the budget is exhausted."""
        if self.done == 1:  # the first has loaded what all need, which takes seconds
            self.begun = time.monotonic()
        if self.done and self.part >= 1:
            raise BudgetExhausted
        self.done += 1
        if self.progress is not None:
            self.progress(*self._progress())

    def _progress(self) -> tuple[int, int]:
        if self.evaluations is not None:
            return self.done, self.evaluations
        return min(round(1000 * self.part), 1000), 1000


CANDIDATES = 6
"""Number of candidates for each objective, from different initial instances."""
MOST_EVIDENCE = 3000
"""Number of evaluated instances whose evidence the result has."""
DECAY, FULL_PROGRESS = 0.7, 0.05
"""Decay of an objective's gain after a local search, and the logarithmic progress that counts as a full gain.
"""


@dataclass
class Candidate:
    """The best descendant of one initial instance, for one objective."""

    objective: int
    origin: int
    score: float
    horizon: float
    evidence: Evidence
    plan: Instance | None
    family: str
    structure: TwoKinds | None = None


@dataclass
class SearchState:
    """Evaluates plans and updates the candidates. Raises BudgetExhausted where the budget is exhausted."""

    theorem: Theorem
    objectives: Sequence[SearchObjective]
    engine_options: EngineOptions
    clock: EvaluationBudget
    pieces: list[Evidence] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    families: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.objectives = tuple(self.objectives)
        self.candidates: list[list[Candidate]] = [[] for _ in self.objectives]
        self.progress = [1.0 for _ in self.objectives]
        self._origins = count()

    def evaluate(self, family: str, plan: Instance) -> None:
        """Evaluate a new initial plan."""
        self._record(lambda: self._with_evidence(plan), family, next(self._origins))

    def evaluate_structure(self, structure: TwoKinds) -> None:
        """Evaluate the plan at the origin of a family of few parameters."""
        self._record(
            lambda: self._with_evidence(structure.plan(structure.zeros)),
            STRUCTURED,
            next(self._origins),
            structure,
        )

    def replay(self, run: Run) -> None:
        """Evaluate a stored run."""
        self._record(lambda: (self._evidence_of(run), plan_from_run(run)), "kept", next(self._origins))

    def step(
        self, candidate: Candidate, make: Callable[[], Instance], structure: TwoKinds | None = None
    ) -> float:
        """Evaluate a neighbour of a candidate; return its score, -inf where it is rejected."""
        scores = self._record(
            lambda: self._with_evidence(make()), candidate.family, candidate.origin, structure
        )
        return scores[candidate.objective]

    def _with_evidence(self, plan: Instance) -> tuple[Evidence, Instance]:
        return evaluate_candidate(self.theorem, plan, self.engine_options), plan

    def choose_candidate(self, rng: np.random.Generator) -> Candidate | None:
        """Choose the start of the next local search.

        Objectives with recent gains have more weight, and those whose score is not above 0 have little: no
        small change makes a term necessary that is covered by the others.
        """
        available = [
            k
            for k, candidates in enumerate(self.candidates)
            if any(candidate.plan for candidate in candidates)
        ]
        if not available:
            return None
        gains = [self.progress[k] if self.best_score(k) > 0 else 0.0 for k in available]
        weights = np.array(gains) + [0.05 + 0.3 * (k == 0) for k in available]
        objective = int(rng.choice(available, p=weights / weights.sum()))
        candidates = [candidate for candidate in self.candidates[objective] if candidate.plan is not None]
        place = min(int(rng.geometric(0.5)) - 1, len(candidates) - 1)
        return candidates[place]

    def best_score(self, objective: int) -> float:
        """Return the best score for an objective so far."""
        return self.candidates[objective][0].score if self.candidates[objective] else -np.inf

    def update_progress(self, objective: int, before: float) -> None:
        """Update the gain of an objective after a local search."""
        increase = compress_score(self.best_score(objective)) - compress_score(before)
        self.progress[objective] = DECAY * self.progress[objective] + (1 - DECAY) * min(
            1.0, increase / FULL_PROGRESS
        )

    def _evidence_of(self, run: Run) -> Evidence:
        refuse_costly(self.theorem, run)
        with np.errstate(all="ignore"):
            return collect_evidence(self.theorem, run, self.engine_options)

    def _record(
        self,
        trial: Callable[[], tuple[Evidence, Instance]],
        family: str,
        origin: int,
        structure: TwoKinds | None = None,
    ) -> list[float]:
        self.clock.tick()
        scores = [-np.inf] * len(self.objectives)
        try:
            with np.errstate(all="ignore"):
                result, plan = trial()
        except (BoundkitError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.refused[_reason(error)] += 1
            return scores
        self.families[family] += 1
        if len(self.pieces) < MOST_EVIDENCE:
            self.pieces.append(result)
        pool = EvidencePool([result])
        for k, objective in enumerate(self.objectives):
            each = objective.score(pool)
            if each.size and not np.isnan(each).all():
                place = int(np.nanargmax(each))
                scores[k] = float(each[place])
                candidate = Candidate(
                    k, origin, scores[k], float(result.horizons[place]), result, plan, family, structure
                )
                self._insert(candidate)
        return scores

    def _insert(self, candidate: Candidate) -> None:
        """Insert it among the best of its objective, one of each origin."""
        candidates = self.candidates[candidate.objective]
        same = next((other for other in candidates if other.origin == candidate.origin), None)
        if same is not None and candidate.score <= same.score:
            return
        others = [other for other in candidates if other is not same]
        # at once: an interrupt finds the old ones or the new ones
        self.candidates[candidate.objective] = sorted([*others, candidate], key=lambda other: -other.score)[
            :CANDIDATES
        ]


def _reason(error: Exception) -> str:
    """Return the reason of a rejection, shortened."""
    if isinstance(error, TooCostly):
        return "too long"
    text = str(error).split("; ")[0]
    return ("not of the theorem: " if isinstance(error, NotApplicable) else "") + text[:90]
