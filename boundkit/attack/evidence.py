"""Evidence: one run, measured at many horizons, with the values of all quantities of a bound.

Neither depends on the bound, so that thousands of mutants are tested on one run by evaluating formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.simulation.constant import weakest
from boundkit.simulation.run import Run
from boundkit.verification.applicability import check_function_class, reasons_not_applicable
from boundkit.verification.checks.fixed_point import rounding_error
from boundkit.verification.claims import add_observables, measure_claim, measure_claim_by_round
from boundkit.verification.constants import (
    arguments_at_horizon,
    compute_constants,
    measure_constants,
    theorem_arguments,
)
from boundkit.verification.context import run_settings
from boundkit.verification.dissimilarity import groups_of, rounds_with_dissimilarity
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of

Array = NDArray[np.float64]


def conditions_hold(
    theorem: Theorem, values: Mapping[str, Array], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Evaluate where every condition of the theorem holds."""
    holds = np.ones(shape, dtype=bool)
    for relation in (*theorem.step_size, *theorem.requires):
        holds &= satisfied(relation, values)
    return holds


def bound_ratios(
    theorem: Theorem, values: Mapping[str, Array], ends: tuple[Array, Array], zero: float | Array
) -> Array:
    """Compute measured/bound (bound/measured of a lower bound); nan outside the conditions.

    The low end of the measurement counts, less its rounding error, so that a ratio above 1 is a violation.
    Any positive measurement violates an upper bound that is not positive.
    """
    low, high = ends
    bound = np.broadcast_to(evaluate(theorem.bound.total, values), low.shape)
    with np.errstate(all="ignore"):
        if theorem.kind == "lower":
            result = bound / (high + zero)
        else:
            result = np.where(low <= zero, 0.0, np.where(bound > 0, (low - zero) / bound, np.inf))
    return np.where(conditions_hold(theorem, values, low.shape) & ~np.isnan(bound), result, np.nan)


_ROUNDING = 1e-14
"""Relative error of a sum of terms."""


def term_shares(theorem: Theorem, label: str, values: Mapping[str, Array], low: Array) -> Array:
    """Compute (measured - all other terms)/term; nan where the term is 0 or a condition does not hold.

    The benefit of the rounding of the others goes to the theorem.
    """
    term = np.broadcast_to(evaluate(theorem.bound.terms[label].expr, values), low.shape)
    others = np.broadcast_to(evaluate(theorem.bound.total, values), low.shape) - term
    with np.errstate(all="ignore"):
        result = (low - others - _ROUNDING * np.abs(others)) / term
    defined = conditions_hold(theorem, values, low.shape) & (term > 0) & np.isfinite(result)
    return np.where(defined, result, np.nan)


HORIZONS = 24
"""Largest number of horizons at which a run is measured, spaced logarithmically."""


class NotApplicable(BoundkitError):
    """The theorem does not apply to a run."""


@dataclass(frozen=True, repr=False)
class Evidence:
    """Measurements of a run at H horizons.

    Attributes
    ----------
    values : the theorem's quantities, and further constants of the run, by keyword, (H,) each.
    measured, low, high : the claimed quantity and its interval (H,), 99 % by default; inf after divergence.
    zero : rounding error of a quantity that is 0.
    trust : how the constants are known: "exact", "local" or "estimated".
    replicas : how many were run; None where the run is not random, or its expectation is exact.
    """

    run: Run
    values: dict[str, Array]
    measured: Array
    low: Array
    high: Array
    zero: float
    engine: str
    random: bool
    trust: str
    diverged: bool = False
    replicas: int | None = None

    @property
    def horizons(self) -> Array:
        """The numbers of rounds after which it was measured."""
        return self.values["T"]

    def conditions_hold(self, theorem: Theorem) -> NDArray[np.bool_]:
        """Evaluate where the theorem's conditions hold, on its step sizes and otherwise; (H,)."""
        return conditions_hold(theorem, self.values, self.measured.shape)

    def ratios(self, theorem: Theorem) -> Array:
        """Compute measured/bound, or bound/measured of a lower bound; nan outside the conditions; (H,)."""
        return bound_ratios(theorem, self.values, (self.low, self.high), self.zero)

    def shares(self, theorem: Theorem, label: str) -> Array:
        """Compute the necessary share of one term, (measured - all other terms)/term; nan without one; (H,).

        The constant of the term cannot be smaller than the largest share times itself.
        """
        return term_shares(theorem, label, self.values, self.low - self.zero)

    def __repr__(self) -> str:
        end = "it diverges" if self.diverged else f"{self.measured[-1]:.6g} is measured at the end"
        until = f"up to T = {self.horizons[-1]:.6g}"
        return f"a run of {self.run.algorithm.name} by the {self.engine} engine, {until}: {end}"


def collect_evidence(
    theorem: Theorem, run: Run, engine_options: EngineOptions | None = None, level: float = 0.99
) -> Evidence:
    """Simulate a run and measure it, inside or outside the theorem's step-size condition.

    ``level``: that of the interval of a sampled measurement.

    Raises NotApplicable where an assumption does not hold, BoundkitError where the run or its constants are
    not available.
    """
    check_function_class(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise NotApplicable(f"the theorem does not apply to this run: {'; '.join(reasons)}.")
    run = add_observables(theorem, run)
    trajectory = (engine_options or EngineOptions()).trajectory(theorem, run)
    if trajectory.outcome == "waiting":
        raise NotApplicable("the run never began: a client never participated.")
    run, trajectory = rounds_with_dissimilarity(theorem, run, trajectory)
    constants = measure_constants(run, trajectory, theorem)
    values = {n: c.value for n, c in constants.items()} | run_settings(run)
    values |= theorem_arguments(theorem, run, constants, trajectory)
    trust = weakest(constants) if constants else "exact"
    context = context_of(theorem, run, trajectory)
    replicas = trajectory.replicas if trajectory.random else None
    if trajectory.outcome == "diverged":
        infinite = np.array([np.inf])
        quantities = {n: np.array([float(v)]) for n, v in values.items()}
        return Evidence(
            run,
            quantities,
            infinite,
            infinite,
            infinite,
            0.0,
            trajectory.engine,
            trajectory.random,
            trust,
            diverged=True,
            replicas=replicas,
        )
    zero = rounding_error(context)
    if (
        theorem.kind == "lower"  # constants of all rounds, and an instance for so many, make it too large
        or theorem.rules
        or theorem.claim.summary in ("first", "limit")
        or _averages_over_rounds(theorem, run)
    ):
        result = measure_claim(context, level)
        at, ends = np.array([values["T"]]), [np.array([v]) for v in (result.value, result.low, result.high)]
    else:
        every = measure_claim_by_round(context, level)
        at = _horizons(len(every[0]), _cycle(theorem, run))
        ends = [np.asarray(series[at.astype(int) - 1]) for series in every]
    settings = arguments_at_horizon(values, int(values["T"]), at)
    quantities = {n: np.broadcast_to(np.asarray(v, dtype=np.float64), at.shape) for n, v in settings.items()}
    value, low, high = ends
    return Evidence(
        run,
        quantities,
        value,
        low,
        high,
        zero,
        trajectory.engine,
        trajectory.random,
        trust,
        replicas=replicas,
    )


def _averages_over_rounds(theorem: Theorem, run: Run) -> bool:
    """Check whether a constant of the theorem is a mean over all rounds, so that only the end is valid.

    The largest dissimilarity or gradient of T rounds is at least that of fewer rounds, which only enlarges
    the bound.
    """
    names = set(compute_constants(run, theorem)) | set(run_settings(run)) | {"sigma_g", "G"}
    if not {"beta", "kappa"} & set(run.problem.constants(run.x0)):
        names |= {"beta", "kappa"}
    return not {q.name for q in theorem.quantities} <= names


def _cycle(theorem: Theorem, run: Run) -> int:
    """Return the period of the participation pattern: cyclic participation is measured after whole cycles."""
    return len(groups_of(run)) if theorem.assumes("cyclic-participation") else 1


def _horizons(rounds: int, cycle: int) -> Array:
    """Select multiples of a cycle: all of a few, else the first, the last, and some between."""
    cycles = rounds // cycle
    if cycles <= HORIZONS:
        return cycle * np.arange(1.0, cycles + 1)
    return cycle * np.unique(np.round(np.geomspace(1, cycles, HORIZONS)))


@dataclass(frozen=True)
class EvidencePool:
    """Evidence of many runs, so that one formula is evaluated on all of them at once."""

    pieces: Sequence[Evidence]

    @cached_property
    def values(self) -> dict[str, Array]:
        """Every quantity that all pieces have, concatenated."""
        if not self.pieces:
            return {}
        shared = set.intersection(*(set(one.values) for one in self.pieces))
        return {name: np.concatenate([one.values[name] for one in self.pieces]) for name in sorted(shared)}

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Low and high ends of the measurements."""
        return _joined([one.low for one in self.pieces]), _joined([one.high for one in self.pieces])

    @cached_property
    def zeros(self) -> Array:
        """Rounding error of each measurement."""
        return _joined([np.full(len(one.low), one.zero) for one in self.pieces])

    @cached_property
    def owner(self) -> NDArray[np.intp]:
        """Index of the piece to which each number belongs."""
        return np.repeat(np.arange(len(self.pieces)), [len(one.low) for one in self.pieces])

    def ratios(self, theorem: Theorem) -> Array:
        """``Evidence.ratios`` of all pieces, concatenated."""
        return bound_ratios(theorem, self.values, self.ends, self.zeros)

    def shares(self, theorem: Theorem, label: str) -> Array:
        """``Evidence.shares`` of all pieces, concatenated."""
        return term_shares(theorem, label, self.values, self.ends[0] - self.zeros)

    def worst(self, theorem: Theorem) -> tuple[float, Evidence | None]:
        """Return the largest ratio and its piece; -inf and None where no piece satisfies the conditions."""
        return self._largest(self.ratios(theorem)) if self.pieces else (-np.inf, None)

    def _largest(self, scores: Array) -> tuple[float, Evidence | None]:
        if not scores.size or np.isnan(scores).all():
            return -np.inf, None
        place = int(np.nanargmax(scores))
        return float(scores[place]), self.pieces[self.owner[place]]


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0)


BOUND = "bound"
"""Name of the objective for the bound as a whole."""


@dataclass(frozen=True)
class SearchObjective:
    """A function to maximise: ``score`` of a pool of N numbers is (N,); nan where it is undefined."""

    name: str
    score: Callable[[EvidencePool], Array]


def bound_objective(theorem: Theorem) -> SearchObjective:
    """Return measured/bound (bound/measured of a lower bound); above 1 the bound is violated."""
    return SearchObjective(BOUND, lambda pool: pool.ratios(theorem))


def term_objective(theorem: Theorem, label: str) -> SearchObjective:
    """Return the necessary share of one term; above 1 the bound is violated."""
    return SearchObjective(label, lambda pool: pool.shares(theorem, label))


def default_objectives(theorem: Theorem) -> Sequence[SearchObjective]:
    """Return the objectives of the bound and of each term; the bound alone where it is a lower one."""
    terms = theorem.bound.terms
    if theorem.kind == "lower" or len(terms) == 1:
        return (bound_objective(theorem),)
    return (bound_objective(theorem), *(term_objective(theorem, label) for label in terms))
