"""Differential privacy: clipped updates and Gaussian noise at the server."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.algorithms.dp_fedavg import DPFedAvg
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance


def _private(theorem: Theorem, run: Run) -> str:
    return "" if isinstance(run.algorithm, DPFedAvg) else "it needs clipped updates with Gaussian noise"


def _privacy_noise(context: EvaluationContext) -> Constant:
    value = context.run.algorithm.settings.get("privacy_noise")
    if value is None:
        raise BoundkitError(f"{context.run.algorithm.name} adds no noise to the mean update.")
    return Constant(float(value), "exact", "the option privacy_noise")


def _clip_excess(context: EvaluationContext) -> Constant:
    run, recorded = context.run, context.trajectory
    if "clipped_excess" not in recorded.observed:
        raise BoundkitError(f"{run.algorithm.name} does not record what clipping takes off the updates.")
    if run.tau is None:
        raise BoundkitError("clip_excess needs the same number of local steps of all clients and rounds.")
    excess = recorded.observed["clipped_excess"][:, : run.rounds] / (run.eta * run.tau)
    mean_square = float(np.mean(excess**2))
    how = "root mean square over the rounds of the run"
    return Constant(mean_square**0.5, "estimated" if recorded.random else "local", how)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Clipping alone, noise alone, both, heterogeneous clients, and losses that are not convex."""
    if not theorem.assumes("gaussian-mechanism"):
        return None
    heterogeneous = Quadratic.random(8, 3, 2, dense=True, spread=2.0, curvature=(0.2, 1.0))
    minority = Quadratic([1.0] * 5, [[5.0]] * 2 + [[0.0]] * 3)
    flat = Quadratic([[1.0] * 20] * 4, np.zeros((4, 20)))
    nonconvex = SmoothNonconvex.random(6, 3, seed=4)
    steep = Quadratic([1.0] * 4, np.zeros((4, 1)))

    def instance(
        name: str, problem: Problem, rounds: int, clip: float, noise: float, start: float = 2.0, **more: Any
    ) -> Instance:
        options, x0 = {"clip": clip, "privacy_noise": noise}, np.full(problem.d, start)
        return Instance(name, problem, 4, rounds=rounds, options=options, x0=x0, **more)

    return [
        instance("a clipped minority, at rest", minority, 400, 0.01, 0.0, 0.0),
        instance("noise, at the error floor", flat, 200, 1.0, 0.1, 0.0, eta_s=8.0),
        instance("heterogeneous clients, clipped", heterogeneous, 150, 0.2, 0.5),
        instance("heterogeneous clients, not clipped", heterogeneous, 100, 5.0, 0.1),
        instance("longer steps of the server", heterogeneous, 100, 0.3, 1.0, eta_s=6.0),
        instance("not convex", nonconvex, 100, 0.1, 0.5),
        instance("homogeneous clients, neither", steep, 30, 10.0, 0.0),
        instance("one round", heterogeneous, 1, 0.2, 0.5),
    ]


FAMILY = Family(
    assumptions={
        vocabulary.CLIPPED_UPDATES: AssumptionRule(_private),
        vocabulary.GAUSSIAN_MECHANISM: AssumptionRule(_private),
    },
    instances=default_instances,
    constants={notation.privacy_noise: _privacy_noise, notation.clip_excess: _clip_excess},
)
