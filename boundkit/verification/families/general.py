"""Assumptions, constants and observables that theorems of all families share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.context import Context, recorded_series
from boundkit.verification.dissimilarity import beta, kappa, sigma_g
from boundkit.verification.family import MEASURED, Family, Rule
from boundkit.verification.inclusion_probabilities import all_participate
from boundkit.verification.instance import Instance


def _equal_weights(theorem: Theorem, run: Run) -> str:
    return "" if run.problem.equal_weights else "it weighs all clients alike, and the p_i of the run differ"


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
    if run.problem.alike:
        return ""
    return "it needs clients with one and the same loss, and those of the run differ"


def make_homogeneous(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with every client's loss that of the first client, shifted so that a minimum exists."""
    problem = instance.problem
    if isinstance(problem, Quadratic):
        H, e = [problem.H[0]] * problem.m, np.tile(problem.e[0], (problem.m, 1))
        return replace(instance, problem=Quadratic(H, e, problem.p, problem.noise))
    if isinstance(problem, SmoothNonconvex):
        return replace(instance, problem=SmoothNonconvex(0 * problem.e, problem.p, problem.noise))
    return instance


def root_of(observable: str) -> Callable[[Context], Array]:
    """The root of a recorded square, replica by replica: E||v|| is not the root of E||v||^2."""

    def series(context: Context) -> Array:
        recorded, run = context.trajectory, context.run
        if recorded.engine == "exact" and (run.problem.noise > 0 or run.participation.random):
            raise BoundkitError("a mean norm is not a moment; simulate replicas for it.")
        return np.sqrt(np.maximum(recorded.observed[observable], 0.0))

    return series


def as_recorded(observable: str) -> Callable[[Context], Array]:
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
        vocabulary.EQUAL_WEIGHTS: Rule(_equal_weights),
        vocabulary.COMMON_STEPS: Rule(_common_steps),
        vocabulary.FULL_PARTICIPATION: Rule(_full_participation, lambda _, i: replace(i, present=1.0)),
        vocabulary.PARTIAL_PARTICIPATION: Rule(_uniform_sampling),
        vocabulary.SERVER_STEP_ONE: Rule(_server_step_one, lambda _, i: replace(i, eta_s=1.0)),
        vocabulary.SERVER_STEP_AT_LEAST_ONE: Rule(_server_step_at_least_one),
        vocabulary.ONE_LOCAL_STEP: Rule(_one_local_step, lambda _, i: replace(i, local_steps=1)),
        vocabulary.NO_NOISE: Rule(_no_noise, lambda _, i: replace(i, problem=i.problem.quiet())),
        vocabulary.ALIKE_CLIENTS: Rule(_homogeneous, make_homogeneous),
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
            )
        },
    },
)
