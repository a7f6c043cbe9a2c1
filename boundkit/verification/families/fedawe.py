"""FedAWE: client availability that changes over time, local models that mix by gossip."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation import Bernoulli
from boundkit.simulation.participation.normalised_weights import mixing_rate
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families.availability import (
    arrange_independent,
    describe_participation,
    independent,
    tilted_nonconvex,
)
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance
from boundkit.verification.surrogate import all_participate


def _changing(theorem: Theorem, run: Run) -> str:
    if all_participate(run):
        return ""
    participation = run.participation
    if not isinstance(participation, Bernoulli):
        kind = describe_participation(participation)
        return f"it needs clients that participate independently of each other, and the run has {kind}"
    if not participation.min_probability > 0:
        return "it needs positive inclusion probabilities in every round, and one of the run is 0 at times"
    return ""


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Homogeneous and heterogeneous clients, probabilities that change, full participation."""
    if not theorem.assumes("changing-availability"):
        return None
    if theorem.rules:
        return _tuned()
    heterogeneous = Quadratic.random(4, 2, seed=2, dense=True, noise=0.5, curvature=(0.3, 1.0))
    shared_hessian = Quadratic.random(4, 2, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.5, 1.0))
    homogeneous = Quadratic([4.0] * 4, np.zeros((4, 1)))
    q = np.array([0.9, 0.8, 0.7, 0.95])
    sine, stairs = independent(q, dynamics="sine", period=10), independent(q, dynamics="staircase", period=8)
    tilted = tilted_nonconvex(np.full(4, 0.25), 4, 0.5, d=2)

    def instance(name: str, problem: Any, participation: Any, tau: int = 2, **more: Any) -> Instance:
        return Instance(
            name, problem, local_steps=tau, participation=participation, x0=np.full(problem.d, 2.0), **more
        )

    spread = theorem.claim.observable == "scaled_spread"  # 0 under full participation
    instances = [
        instance("homogeneous clients, to the end", homogeneous, independent(0.9), 1, rounds=300),
        instance("different Hessians, noise", heterogeneous, independent(q), 4, eta_s=2.0, rounds=60),
        instance("full participation, at the error floor", shared_hessian, independent(1.0), 2, rounds=3000),
        instance("not convex, sinusoidal availability", tilted, sine, rounds=80),
        instance("equal Hessians, stepwise probabilities", shared_hessian, stairs, rounds=80),
        instance("one round", heterogeneous, independent(q), 4, rounds=1),
        instance(
            "rare clients, a large server step",
            heterogeneous.without_noise(),
            independent([0.3, 0.5, 0.4, 1.0]),
            3,
            eta_s=8.0,
            rounds=80,
        ),
    ]
    return [
        instance for instance in instances if not (spread and instance.name.startswith("full participation"))
    ]


def _tuned() -> list[Instance]:
    """FedAWE at step sizes that depend on the number of rounds, at least 40000, with full participation.

    Then the moments are exact; a sampled run of that many rounds takes minutes.
    """
    shared_hessian = Quadratic([4.0] * 2, np.zeros((2, 1)))
    noisy = Quadratic([1.0] * 2, [[1.0], [-1.0]], noise=2.0)

    def instance(name: str, problem: Any, tau: int) -> Instance:
        return Instance(name, problem, tau, participation=independent(1.0), x0=np.full(1, 2.0), rounds=40_000)

    return [
        instance("full participation, homogeneous clients", shared_hessian, 1),
        instance("full participation, heterogeneous clients, noise", noisy, 3),
    ]


def _mixing(context: EvaluationContext) -> Constant:
    if all_participate(context.run):
        return Constant(0.0, "exact", "all clients average in every round")
    return mixing_rate(context.run.participation)


def scaled_spread(context: EvaluationContext) -> Array:
    """L^2 (1/m) sum_i ||x_i^t - mean_j x_j^t||^2 at t = 0, ..., T, from one model at first: (R, T + 1)."""
    recorded = context.trajectory.observed
    if "spread" not in recorded:
        raise BoundkitError("the consensus error is recorded by the step engine only.")
    after = recorded["spread"][:, :-1]  # recorded at the end of round t, which is the start of round t + 1
    return context.value("L") ** 2 * np.concatenate([np.zeros((len(after), 1)), after], axis=1)


FAMILY = Family(
    assumptions={vocabulary.CHANGING_AVAILABILITY: AssumptionRule(_changing, arrange_independent)},
    instances=default_instances,
    constants={notation.mixing: _mixing},
    observables={"scaled_spread": scaled_spread},
)
