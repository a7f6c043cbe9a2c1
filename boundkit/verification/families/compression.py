"""Compressed messages, with error feedback (EF21) and without bias (FedPAQ)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.algorithms.ef21 import EF21
from boundkit.simulation.algorithms.fedpaq import FedPAQ
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance


def _contractive(theorem: Theorem, run: Run) -> str:
    return "" if isinstance(run.algorithm, EF21) else "it needs compressed messages with error feedback"


def _unbiased(theorem: Theorem, run: Run) -> str:
    return "" if isinstance(run.algorithm, FedPAQ) else "it needs updates compressed without bias"


def _compressing(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with one coordinate of each update sent, where it has no compressor of its own."""
    return replace(instance, options={"compressor": "rand_k", **instance.options})


def _comp_keep(context: EvaluationContext) -> Constant:
    d = context.run.problem.d
    kept = min(int(context.run.algorithm.settings.get("keep", d)), d)
    return Constant(kept / d, "exact", f"the {kept} largest of {d} coordinates")


def _comp_noise(context: EvaluationContext) -> Constant:
    solver, d = context.run.algorithm, context.run.problem.d
    if not isinstance(solver, FedPAQ):
        raise BoundkitError(f"{solver.name} does not compress updates without bias.")
    return Constant(solver.relative_variance(d), "exact", f"of its compressor with {d} coordinates")


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """The default instances of either kind of compression."""
    if theorem.assumes("unbiased-compression"):
        return _instances_without_bias()
    return _instances_with_feedback() if theorem.assumes("contractive-compression") else None


def _instances_without_bias() -> list[Instance]:
    """Few and all coordinates, whole numbers of levels, and the stationary state of one Hessian."""
    heterogeneous = Quadratic.random(8, 4, 2, dense=True, spread=2.0, curvature=(0.2, 1.0), noise=0.3)
    shared = Quadratic([[1.0] * 8] * 4, 3 * np.random.default_rng(1).standard_normal((4, 8)))
    noisy = Quadratic([[1.0] * 4] * 4, np.zeros((4, 4)), noise=1.0)
    nonconvex = SmoothNonconvex.random(6, 4, seed=4, noise=0.3)

    def instance(
        name: str, problem: Problem, rounds: int, options: dict[str, Any], start: float = 2.0, **more: Any
    ) -> Instance:
        x0 = np.full(problem.d, start)
        return Instance(name, problem, rounds=rounds, x0=x0, options=options, **more)

    one, two, signs = {"compressor": "rand_k"}, {"compressor": "rand_k", "keep": 2}, {"compressor": "qsgd"}
    return [
        instance("one coordinate, sampled clients", heterogeneous, 300, one, local_steps=5, present=0.5),
        instance("two coordinates", heterogeneous, 200, two, local_steps=5),
        instance("one Hessian, at the error floor", shared, 1000, one, 0.0, local_steps=4),
        instance("noise, at the error floor", noisy, 1000, one, 0.0, local_steps=2, present=0.5),
        instance("whole numbers of one level", heterogeneous, 100, signs, local_steps=3, present=0.5),
        instance("not convex, four levels", nonconvex, 80, {**signs, "levels": 4}, local_steps=3),
        instance("not convex, one coordinate", nonconvex, 80, one, local_steps=3, present=0.5, eta_s=2.0),
        instance("no compression", heterogeneous, 100, {"compressor": "none"}, local_steps=5, present=0.5),
        instance("one round", heterogeneous, 1, one, local_steps=5),
    ]


def _instances_with_feedback() -> list[Instance]:
    """Few and all coordinates, heterogeneous clients, and losses that are not convex."""
    heterogeneous = Quadratic.random(6, 4, 2, dense=True, spread=2.0, curvature=(0.1, 1.0))
    nonconvex = SmoothNonconvex.random(6, 3, seed=4)
    steep = Quadratic([[1.0, 0.5, 0.25, 0.1]] * 3, np.zeros((3, 4)))

    def instance(name: str, problem: Problem, keep: int, rounds: int, step: float = 1.0) -> Instance:
        x0 = np.full(problem.d, 2.0)
        return Instance(name, problem, step=step, rounds=rounds, x0=x0, options={"keep": keep})

    return [
        instance("one coordinate", heterogeneous, 1, 300),
        instance("two coordinates", heterogeneous, 2, 100),
        instance("all coordinates", heterogeneous, 4, 50),
        instance("not convex", nonconvex, 1, 200),
        instance("homogeneous clients", steep, 1, 60),
        instance("a smaller step", heterogeneous, 1, 100, 0.1),
        instance("one round", heterogeneous, 1, 1),
    ]


FAMILY = Family(
    assumptions={
        vocabulary.CONTRACTIVE_COMPRESSION: AssumptionRule(_contractive),
        vocabulary.UNBIASED_COMPRESSION: AssumptionRule(_unbiased, _compressing),
    },
    instances=default_instances,
    constants={notation.comp_keep: _comp_keep, notation.comp_noise: _comp_noise},
)
