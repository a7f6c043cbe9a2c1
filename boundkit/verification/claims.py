"""The claimed quantity of a theorem, measured on a trajectory.

Most claims name an observable that is recorded. A few are functions of one (the norm of a gradient), some
need a weight for every round, some are first times at which a target is reached. Modules of ``measures``
add what theirs need: ``DERIVED`` (observable -> function of the subject, giving a series (R, T + 1)) and
``WEIGHTS`` (algorithm -> function of the subject, giving (R, T) or (T,)),
``LIMITS`` (observable -> function of the subject, giving an estimate, for claims on a limit of many rounds),
``WATCHED`` (prefix of observables -> function of theorem and run, giving the problem to observe by),
``SEEN`` (assumption -> function of theorem and run, giving what to observe the run by, by prefix: what the
assumption's constants are measured on).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.engines.local_iterate_moments import sees_inside
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Estimate, estimate_of, margin_of
from boundkit.verification import measures
from boundkit.verification.quantities import Subject
from boundkit.verification.quantities.subject import detour
from boundkit.verification.quantities.uniform import same_everywhere
from boundkit.verification.registry import gathered

Array = NDArray[np.float64]
DERIVED: dict[str, Callable[[Subject], Array]] = gathered(measures.__name__, measures.__path__, "DERIVED")
WEIGHTS: dict[str, Callable[[Subject], Array]] = gathered(measures.__name__, measures.__path__, "WEIGHTS")
WATCHED: dict[str, Callable[[Theorem, Run], Problem]] = gathered(
    measures.__name__, measures.__path__, "WATCHED"
)
LIMITS: dict[str, Callable[[Subject], Estimate]] = gathered(measures.__name__, measures.__path__, "LIMITS")
SEEN: dict[str, Callable[[Theorem, Run], dict[str, Problem]]] = gathered(
    measures.__name__, measures.__path__, "SEEN"
)

NO_MOMENTS = frozenset({"gradient_norm", "distance", "clipped_decrease", "scaled_spread"})
"""Observables that are no quadratic forms: exact moments do not give their means."""


def by_steps(theorem: Theorem, run: Run) -> bool:
    """Whether exact moments cannot tell what the theorem asks of the run, so that every step is taken."""
    unseen = run.local_spread or run.iterate_ratio is not None or (run.looks_inside and not sees_inside(run))
    return unseen or theorem.claim.observable in NO_MOMENTS


def measurable(observable: str, summary: str, algorithm: str) -> bool:
    """Whether a claim of that observable and summary can be measured on runs of the algorithm."""
    known = observable in OBSERVABLES or observable in DERIVED
    if summary == "limit":
        return observable in LIMITS
    return known and (summary != "weighted" or algorithm in WEIGHTS)


def prepared(theorem: Theorem, run: Run) -> Run:
    """The run with everything observed that the theorem's claim needs."""
    name = theorem.claim.observable
    if isinstance(run.problem, Network):
        run = replace(run, problem=_whole(run.problem), every=1, until=None)
    if name.startswith("virtual_"):
        run = replace(run, virtual=True)
    if name == "weighted_iterate_loss_gap" and theorem.algorithm == "fedavg":
        run = replace(run, iterate_ratio=iterate_ratio(run))
    if theorem.assumes("uniform-dissimilarity") and not same_everywhere(run.problem, run.x0):
        run = replace(run, local_spread=True)
    prefix = next((p for p in WATCHED if name.startswith(f"{p}_")), detour(theorem))
    if prefix is not None and prefix not in run.watch:
        run = replace(run, watch={**run.watch, prefix: WATCHED[prefix](theorem, run)})
    for assumption in theorem.assumptions:
        if assumption.name in SEEN:
            run = replace(run, watch={**SEEN[assumption.name](theorem, run), **run.watch})
    return run


def _whole(problem: Network) -> Network:
    """The network with all that it can be observed by, and with its optimum where that can be had."""
    same = copy.copy(problem)
    same.lean = False
    try:
        return same if same.optimum is not None else same.settled()
    except BoundkitError:
        return same  # a claim about the optimum says that none is known


def iterate_ratio(run: Run) -> float:
    """s_t/s_{t+1} where s_t = (1 - mu eta_s eta tau/2)^(1 - t): how fast the mean of the iterates forgets.

    Raises BoundkitError where the losses are not strongly convex, or the step so long that it turns negative.
    """
    found = run.problem.constants(run.x0)
    if "mu" not in found or run.tau is None:
        raise BoundkitError("the weights of the iterates need strongly convex losses and a common tau.")
    kept = 1 - found["mu"].value * run.eta_s * run.eta * run.tau / 2
    if kept <= 0:
        raise BoundkitError(f"the weights of iterates need mu eta_s eta tau below 2, not {2 - 2 * kept:g}.")
    return float(kept)


def series_of(subject: Subject) -> Array:
    """The observable of the claim, (R, T + 1)."""
    name, seen = subject.theorem.claim.observable, subject.trajectory
    if name in DERIVED:
        return DERIVED[name](subject)
    if name not in seen.observed:
        raise BoundkitError(f"this problem has no {name.replace('_', ' ')} to measure.")
    return seen.observed[name]


def measured(subject: Subject, level: float = 0.99) -> Estimate:
    """The claimed quantity, with a Student t interval over replicas where the run is random."""
    claim = subject.theorem.claim
    if claim.summary == "limit":
        return LIMITS[claim.observable](subject)
    series = series_of(subject)
    if claim.summary == "first":  # of the mean over replicas: the claim is about an expectation
        target, mean = subject.value("target"), series.mean(axis=0)
        margin = margin_of(series, subject.trajectory.random, level)
        ends = (float(claim.measure(mean + off, target=target)) for off in (0.0, -margin, margin))
        return Estimate(*ends)
    each = claim.measure(series, weights=_weights(subject))
    return estimate_of(each, subject.trajectory.random, level)


def running(subject: Subject, level: float = 0.99) -> tuple[Array, Array, Array]:
    """The claimed quantity at every horizon 1, ..., T: its mean, low and high ends."""
    each = subject.theorem.claim.running(series_of(subject), _weights(subject))
    mean, margin = each.mean(axis=0), margin_of(each, subject.trajectory.random, level)
    return mean, mean - margin, mean + margin


def _weights(subject: Subject) -> Any:
    theorem = subject.theorem
    return WEIGHTS[theorem.algorithm](subject) if theorem.claim.summary == "weighted" else None
