"""The claimed quantity of a theorem, measured on a trajectory."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate, confidence_margin, estimate_mean
from boundkit.simulation.engines.exact_observables import has_exact_local_moments
from boundkit.simulation.problems import Network
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.dissimilarity import same_at_every_point
from boundkit.verification.families import FAMILIES

WITHOUT_EXACT_MEAN = frozenset({"gradient_norm", "distance", "clipped_decrease", "scaled_spread"})
"""Observables that are not quadratic forms: exact moments do not give their means."""


def needs_step_engine(theorem: Theorem, run: Run) -> bool:
    """Whether exact moments do not give what the theorem needs, so that every step must be simulated."""
    local = run.observes_local_steps and not has_exact_local_moments(run)
    unavailable = run.local_spread or run.iterate_ratio is not None or local
    return unavailable or theorem.claim.observable in WITHOUT_EXACT_MEAN


def is_measurable(observable: str, summary: str, algorithm: str) -> bool:
    """Whether a claim of that observable and summary can be measured on runs of the algorithm."""
    if summary == "limit":
        return observable in FAMILIES.limits
    available = observable in OBSERVABLES or observable in FAMILIES.observables
    return available and (summary != "weighted" or algorithm in FAMILIES.round_weights)


def add_observables(theorem: Theorem, run: Run) -> Run:
    """The run with every observable that the theorem's claim and constants need."""
    name = theorem.claim.observable
    if isinstance(run.problem, Network):
        run = replace(run, problem=_fully_observed(run.problem), every=1, until=None)
    if name.startswith("virtual_"):
        run = replace(run, virtual=True)
    if name == "weighted_iterate_loss_gap" and theorem.algorithm == "fedavg":
        run = replace(run, iterate_ratio=iterate_ratio(run))
    if theorem.assumes("uniform-dissimilarity") and not same_at_every_point(run.problem, run.x0):
        run = replace(run, local_spread=True)
    objectives = FAMILIES.objectives(theorem, run)
    return replace(run, objectives=objectives) if set(objectives) != set(run.objectives) else run


def _fully_observed(problem: Network) -> Network:
    """The network with all of its observables, and with its optimum where that can be computed."""
    network = copy.copy(problem)
    network.lean = False
    try:
        return network if network.optimum is not None else network.with_optimum()
    except BoundkitError:
        return network  # a claim about the optimum reports that there is none


def iterate_ratio(run: Run) -> float:
    """s_t/s_{t+1} of the weights s_t = (1 - mu eta_s eta tau/2)^(1 - t) of the iterates in their mean.

    Raises BoundkitError where the losses are not strongly convex, or the step so long that it turns negative.
    """
    constants = run.problem.constants(run.x0)
    if "mu" not in constants or run.tau is None:
        raise BoundkitError("the weights of the iterates need strongly convex losses and a common tau.")
    ratio = 1 - constants["mu"].value * run.eta_s * run.eta * run.tau / 2
    if ratio <= 0:
        raise BoundkitError(f"the weights of iterates need mu eta_s eta tau below 2, not {2 - 2 * ratio:g}.")
    return float(ratio)


def measure_claim(context: EvaluationContext, level: float = 0.99) -> Estimate:
    """The claimed quantity, with a Student t interval over replicas where the run is random."""
    claim = context.theorem.claim
    if claim.summary == "limit":
        return context.families.limits[claim.observable](context)
    series = context.series()
    if claim.summary == "first":  # of the mean over replicas: the claim is about an expectation
        target, mean = context.value("target"), series.mean(axis=0)
        margin = confidence_margin(series, context.trajectory.random, level)
        ends = (float(claim.measure(mean + offset, target=target)) for offset in (0.0, -margin, margin))
        return Estimate(*ends)
    each = claim.measure(series, weights=_round_weights(context))
    return estimate_mean(each, context.trajectory.random, level)


def measure_claim_by_round(context: EvaluationContext, level: float = 0.99) -> tuple[Array, Array, Array]:
    """The claimed quantity at every horizon 1, ..., T: its mean, and the ends of its confidence interval."""
    each = context.theorem.claim.running(context.series(), _round_weights(context))
    mean, margin = each.mean(axis=0), confidence_margin(each, context.trajectory.random, level)
    return mean, mean - margin, mean + margin


def _round_weights(context: EvaluationContext) -> Any:
    weighted = context.theorem.claim.summary == "weighted"
    return context.families.round_weights[context.theorem.algorithm](context) if weighted else None
