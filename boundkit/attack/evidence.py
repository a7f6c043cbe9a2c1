"""What a run says against a theorem, and against every wrong version of it that claims the same.

The run is made once. What was measured and the values that a bound is asked with do not depend on the bound,
so that a thousand mutants are held against one run by evaluating formulas. One run speaks at many horizons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.bound_ratios import Array, inside, ratios, shares
from boundkit.simulation.constant import weakest
from boundkit.simulation.run import Run
from boundkit.verification.applicability import check_function_class, reasons_not_applicable
from boundkit.verification.checks.rounding_error import rounding_error
from boundkit.verification.claims import add_observables, measure_claim, measure_claim_by_round
from boundkit.verification.constants import (
    arguments_at_horizon,
    compute_constants,
    measure_constants,
    theorem_arguments,
)
from boundkit.verification.context import run_settings
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import context_of
from boundkit.verification.group_dissimilarity import groups_of

HORIZONS = 24
"""At most so many horizons of a run are looked at, spaced by logarithm."""


class Silent(BoundkitError):
    """A run of which the theorem does not speak."""


@dataclass(frozen=True, repr=False)
class Evidence:
    """A run, measured at H horizons.

    ``values``: what a bound is asked with, by keyword, (H,) each: the theorem's quantities and all else that
    is known of the run. ``measure_claim``, ``low``, ``high``: the claimed quantity and its interval, of 99 %
    unless asked otherwise, (H,); alike where nothing was sampled; inf where the run diverged. ``zero``: what
    rounding leaves of a quantity that is 0.
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

    @property
    def horizons(self) -> Array:
        """The rounds after which it was measured."""
        return self.values["T"]

    def inside(self, theorem: Theorem) -> NDArray[np.bool_]:
        """Where the theorem's conditions hold, on its steps and on its meaning; (H,)."""
        return inside(theorem, self.values, self.measured.shape)

    def ratios(self, theorem: Theorem) -> Array:
        """measured/bound where the conditions hold, else nan; bound/measured of a lower bound; (H,)."""
        return ratios(theorem, self.values, (self.low, self.high), self.zero)

    def shares(self, theorem: Theorem, label: str) -> Array:
        """How much of one term was needed: (measured - all other terms)/term, nan where there is none; (H,).

        The constant of the term cannot be less than the largest share times itself.
        """
        return shares(theorem, label, self.values, self.low - self.zero)

    def __repr__(self) -> str:
        end = "it diverges" if self.diverged else f"{self.measured[-1]:.6g} is measured at the end"
        until = f"up to T = {self.horizons[-1]:.6g}"
        return f"a run of {self.run.algorithm.name} by the {self.engine} engine, {until}: {end}"


def evidence(
    theorem: Theorem, run: Run, machine: EngineOptions | None = None, level: float = 0.99
) -> Evidence:
    """The run held up to the theorem, inside or outside of its step-size condition.

    ``level``: of the interval of what was sampled.

    Raises Silent where an assumption is not met, BoundkitError where the run or its constants cannot be had.
    """
    check_function_class(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise Silent(f"the theorem does not speak of this run: {'; '.join(reasons)}.")
    run = add_observables(theorem, run)
    seen = (machine or EngineOptions()).trajectory(theorem, run)
    if seen.outcome == "waiting":
        raise Silent("the run never began: a client never came.")
    constants = measure_constants(run, seen, theorem)
    values = {n: c.value for n, c in constants.items()} | run_settings(run)
    values |= theorem_arguments(theorem, run, constants, seen)
    trust = weakest(constants) if constants else "exact"
    subject = context_of(theorem, run, seen)
    if seen.outcome == "diverged":
        endless = np.array([np.inf])
        known = {n: np.array([float(v)]) for n, v in values.items()}
        return Evidence(run, known, endless, endless, endless, 0.0, seen.engine, seen.random, trust, True)
    zero = rounding_error(subject)
    if theorem.rules or theorem.claim.summary in ("first", "limit") or _moving(theorem, run):
        found = measure_claim(subject, level)
        at, ends = np.array([values["T"]]), [np.array([v]) for v in (found.value, found.low, found.high)]
    else:
        every = measure_claim_by_round(subject, level)
        at = _horizons(len(every[0]), _cycle(theorem, run))
        ends = [np.asarray(series[at.astype(int) - 1]) for series in every]
    asked = arguments_at_horizon(values, int(values["T"]), at)
    known = {n: np.broadcast_to(np.asarray(v, dtype=np.float64), at.shape) for n, v in asked.items()}
    value, low, high = ends
    return Evidence(run, known, value, low, high, zero, seen.engine, seen.random, trust)


def _moving(theorem: Theorem, run: Run) -> bool:
    """Whether the theorem asks for a mean over the rounds of the run, so that it speaks of its end only.

    The largest dissimilarity or gradient of T rounds is at least that of fewer, so that there the bound is
    only too large.
    """
    known = set(compute_constants(run, theorem)) | set(run_settings(run)) | {"sigma_g", "G"}
    if not {"beta", "kappa"} & set(run.problem.constants(run.x0)):
        known |= {"beta", "kappa"}
    return not {q.name for q in theorem.quantities} <= known


def _cycle(theorem: Theorem, run: Run) -> int:
    """After how many rounds the theorem speaks again: groups that take turns are asked after whole cycles."""
    return len(groups_of(run)) if theorem.assumes("cyclic-participation") else 1


def _horizons(rounds: int, cycle: int) -> Array:
    """Some of the multiples of a cycle: all of a few, the first, the last, others between by logarithm."""
    cycles = rounds // cycle
    if cycles <= HORIZONS:
        return cycle * np.arange(1.0, cycles + 1)
    return cycle * np.unique(np.round(np.geomspace(1, cycles, HORIZONS)))
