"""Assumptions, constants and observables that theorems of all families share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext, auxiliary_objective, recorded_series
from boundkit.verification.dissimilarity import beta, kappa, sigma_g
from boundkit.verification.family import MEASURED, AssumptionRule, Family
from boundkit.verification.instance import Instance
from boundkit.verification.surrogate import all_participate, surrogate_objective

_PREFIX = "surrogate"


def _equal_weights(theorem: Theorem, run: Run) -> str:
    return (
        ""
        if run.problem.equal_weights
        else "it gives all clients equal weights, and the p_i of the run differ"
    )


def _common_steps(theorem: Theorem, run: Run) -> str:
    return "" if run.tau is not None else "it needs the same number of local steps for all clients and rounds"


def _full_participation(theorem: Theorem, run: Run) -> str:
    return "" if all_participate(run) else "it needs all clients in every round"


def _uniform_sampling(theorem: Theorem, run: Run) -> str:
    if run.participation.kind == "uniform" or all_participate(run):
        return ""
    kind = "a schedule" if run.participation.kind == "schedule" else f"{run.participation.kind} participation"
    return f"it needs clients drawn uniformly without replacement, and the run has {kind}"


def _server_step_one(theorem: Theorem, run: Run) -> str:
    return "" if run.eta_s == 1 else f"it needs eta_s = 1, and the run has {run.eta_s:g}"


def _server_step_at_least_one(theorem: Theorem, run: Run) -> str:
    return "" if run.eta_s >= 1 else f"it needs eta_s of at least 1, and the run has {run.eta_s:g}"


def _one_local_step(theorem: Theorem, run: Run) -> str:
    return "" if run.tau == 1 else "it needs one local step a round"


def _no_noise(theorem: Theorem, run: Run) -> str:
    if run.problem.batches is not None:
        return "it needs exact gradients, and the run draws mini-batches"
    noise = run.problem.noise
    return "" if noise == 0 else f"it needs exact gradients, and the run has noise {noise:g}"


def _homogeneous(theorem: Theorem, run: Run) -> str:
    if run.problem.homogeneous:
        return ""
    return "it needs homogeneous clients, and the losses of the run differ"


def _sampled_by_weights(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    if participation.kind != "with_replacement":
        return f"it needs clients drawn with replacement, and the run has {participation.kind} participation"
    if np.abs(_normalised(participation.distribution(0).first) - run.problem.p).max() > 1e-12:
        return "it needs each client drawn with probability p_i, and the run has other probabilities"
    how = run.algorithm.settings.get("aggregation", "weighted")
    plain = how == "mean" or (how == "weighted" and run.problem.equal_weights)
    return "" if plain else f"it gives the sampled models equal weights, and the run has aggregation {how!r}"


def _normalised(weights: Array) -> Array:
    return np.asarray(weights / weights.sum())


def _sample_with_replacement(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with as many draws as it had participating clients in a round."""
    if instance.participation is not None:
        return instance
    count = max(1, round(instance.present * instance.problem.m))
    return replace(
        instance,
        participation={"kind": "with_replacement", "count": count},
        options={**instance.options, "aggregation": "mean"},
    )


def _independent_gradients(theorem: Theorem, run: Run) -> str:
    participation = run.participation
    replacement = participation.kind == "with_replacement"
    counted = theorem.assumes("unbiased-sampling")  # there share_noise has the repeated gradients
    if counted or not run.problem.stochastic or not replacement or participation.size(0) == 1:
        return ""
    return (
        "its gradients are independent for every draw, and in the run a client that is drawn twice sends one "
        "noisy gradient twice"
    )


def _one_draw(theorem: Theorem, instance: Instance) -> Instance:
    noisy = instance.problem.noise > 0 and theorem.assumes("sampling-with-replacement")
    return replace(instance, present=1 / instance.problem.m) if noisy else instance


def _has_surrogate(theorem: Theorem, run: Run) -> str:
    try:
        problem = surrogate_objective(theorem, run)
    except BoundkitError as error:
        return f"its surrogate is not available: {str(error).rstrip('.')}"
    return "" if "gap" in problem.constants(run.x0) else "its surrogate is not bounded below"


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    claimed = theorem.claim.observable.startswith(f"{_PREFIX}_") or auxiliary_objective(theorem) == _PREFIX
    if not claimed or _PREFIX in run.objectives:
        return {}
    return {_PREFIX: surrogate_objective(theorem, run)}


def make_homogeneous(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with every client's loss that of the first client, shifted so that a minimum exists."""
    problem = instance.problem
    if isinstance(problem, Quadratic):
        H, e = [problem.H[0]] * problem.m, np.tile(problem.e[0], (problem.m, 1))
        return replace(instance, problem=Quadratic(H, e, problem.p, problem.noise))
    if isinstance(problem, SmoothNonconvex):
        return replace(instance, problem=SmoothNonconvex(0 * problem.e, problem.p, problem.noise))
    return instance


def root_of(observable: str) -> Callable[[EvaluationContext], Array]:
    """The root of a recorded square, replica by replica: E||v|| is not the root of E||v||^2."""

    def series(context: EvaluationContext) -> Array:
        recorded, run = context.trajectory, context.run
        if recorded.engine == "exact" and run.random:
            raise BoundkitError("a mean norm is not a moment; simulate replicas to measure it.")
        return np.sqrt(np.maximum(recorded.observed[observable], 0.0))

    return series


def as_recorded(observable: str) -> Callable[[EvaluationContext], Array]:
    """An observable that some runs record and others do not."""
    return lambda context: recorded_series(context, observable)


FAMILY = Family(
    assumptions={
        vocabulary.SMOOTH: MEASURED,
        vocabulary.BOUNDED_NOISE: MEASURED,
        vocabulary.BOUNDED_DISSIMILARITY: MEASURED,
        vocabulary.BETA_KAPPA_DISSIMILARITY: MEASURED,
        vocabulary.CONVEX: MEASURED,
        vocabulary.STRONGLY_CONVEX: MEASURED,
        vocabulary.BOUNDED_BELOW: MEASURED,
        vocabulary.WEIGHTED_OBJECTIVE: MEASURED,
        vocabulary.EQUAL_WEIGHTS: AssumptionRule(_equal_weights),
        vocabulary.COMMON_STEPS: AssumptionRule(_common_steps),
        vocabulary.FULL_PARTICIPATION: AssumptionRule(
            _full_participation, lambda _, i: replace(i, present=1.0)
        ),
        vocabulary.PARTIAL_PARTICIPATION: AssumptionRule(_uniform_sampling),
        vocabulary.SERVER_STEP_ONE: AssumptionRule(_server_step_one, lambda _, i: replace(i, eta_s=1.0)),
        vocabulary.SERVER_STEP_AT_LEAST_ONE: AssumptionRule(_server_step_at_least_one),
        vocabulary.ONE_LOCAL_STEP: AssumptionRule(_one_local_step, lambda _, i: replace(i, local_steps=1)),
        vocabulary.NO_NOISE: AssumptionRule(
            _no_noise, lambda _, i: replace(i, problem=i.problem.without_noise())
        ),
        vocabulary.HOMOGENEOUS_CLIENTS: AssumptionRule(_homogeneous, make_homogeneous),
        vocabulary.REPLACEMENT: AssumptionRule(_sampled_by_weights, _sample_with_replacement),
        vocabulary.WEIGHTED_DISSIMILARITY: AssumptionRule(_independent_gradients, _one_draw),
        vocabulary.SURROGATE_DISSIMILARITY: AssumptionRule(_has_surrogate),
    },
    constants={notation.sigma_g: sigma_g, notation.beta: beta, notation.kappa: kappa},
    observables={
        "gradient_norm": root_of("gradient_norm_squared"),
        "distance": root_of("distance_squared"),
        **{
            name: as_recorded(name)
            for name in (
                "mean_model_gradient_norm_squared",
                "auxiliary_gradient_norm_squared",
                "weighted_iterate_loss_gap",
                "surrogate_gradient_norm_squared",
            )
        },
    },
    objectives=_objectives,
)
