"""Compressed messages with error feedback: EF21."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Theorem, notation, vocabulary
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance


def _contractive(theorem: Theorem, run: Run) -> str:
    return "" if "keep" in run.algorithm.settings else "it needs compressed messages"


def _comp_keep(context: EvaluationContext) -> Constant:
    d = context.run.problem.d
    kept = min(int(context.run.algorithm.settings.get("keep", d)), d)
    return Constant(kept / d, "exact", f"the {kept} largest of {d} coordinates")


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Few and all coordinates, heterogeneous clients, and losses that are not convex."""
    if not theorem.assumes("contractive-compression"):
        return None
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
    assumptions={vocabulary.CONTRACTIVE_COMPRESSION: AssumptionRule(_contractive)},
    instances=default_instances,
    constants={notation.comp_keep: _comp_keep},
)
