"""Unlike Hessians and third derivatives: FedAvg and FedLin without noise."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import LogCosh, Problem, Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import MEASURED, AssumptionRule, Family
from boundkit.verification.instance import Instance

THIRD_DERIVATIVE = 4 / 27**0.5
"""The largest third derivative of log cosh."""


def hessians_at_optimum(problem: Problem) -> Array:
    """The clients' Hessians at the optimum: (m, d) where all are diagonal, else (m, d, d).

    Raises BoundkitError for losses whose Hessians are not known here.
    """
    if isinstance(problem, Quadratic):
        return np.asarray(problem.H)
    if isinstance(problem, LogCosh) and problem.optimum is not None:
        return np.asarray(problem.h / np.cosh(problem.optimum - problem.e) ** 2)
    raise BoundkitError(f"the Hessians of this {problem.kind} problem are not known here.")


def _delta_hess(context: EvaluationContext) -> Constant:
    problem = context.run.problem
    H = hessians_at_optimum(problem)
    apart = H - np.tensordot(problem.p, H, 1)
    norms = np.abs(apart).max(axis=1) if H.ndim == 2 else np.abs(np.linalg.eigvalsh(apart)).max(axis=1)
    return Constant(float(problem.p @ norms**2) ** 0.5, "exact", "of the Hessians at the optimum")


def _third(context: EvaluationContext) -> Constant:
    problem = context.run.problem
    if isinstance(problem, Quadratic):
        return Constant(0.0, "exact", "the losses are quadratics")
    if isinstance(problem, LogCosh):
        return Constant(THIRD_DERIVATIVE * float(problem.h.max()), "exact", "4/sqrt(27) times the largest h")
    raise BoundkitError(f"the third derivatives of this {problem.kind} problem are not known here.")


def _quadratic(theorem: Theorem, run: Run) -> str:
    return "" if isinstance(run.problem, Quadratic) else "it needs quadratic losses"


def _similar_hessians(delta: float) -> Quadratic:
    """Clients whose Hessians are about ``delta`` apart."""
    rng = np.random.default_rng(3)
    H = np.array([[0.5, 1.0]] * 6) - delta * rng.uniform(0, 1, (6, 2))
    return Quadratic(H, rng.standard_normal((6, 2)))


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Two clients on a line, Hessians near and far from each other, equal ones, and third derivatives."""
    if notation.delta_hess not in theorem.quantities:
        return None
    line, shared = Quadratic([1.0, 0.2], [[1.0], [-1.0]]), _similar_hessians(0.0)
    far = Quadratic.random(6, 2, 2, dense=True, spread=2.0, curvature=(0.1, 1.0))

    def instance(
        name: str, problem: Problem, tau: int, step: float, rounds: int, start: float = 3.0
    ) -> Instance:
        return Instance(name, problem, tau, step=step, rounds=rounds, x0=np.full(problem.d, start))

    found = [
        instance("two on a line", line, 10, 0.1, 8),
        instance("near Hessians", _similar_hessians(0.05), 20, 1.0, 2),
        instance("one Hessian", shared, 4, 0.5, 3),
        instance("one step", far, 1, 1.0, 30),
        instance("one round", far, 5, 0.1, 1),
        instance("heterogeneous Hessians", far, 5, 0.1, 10),
    ]
    if theorem.assumes("quadratic"):
        found.append(instance("homogeneous clients", Quadratic([0.5] * 2, np.zeros((2, 1))), 4, 0.5, 3))
        apart = Quadratic([1.1, 0.9], np.zeros((2, 1)))
        return [*found, instance("long rounds, two Hessians", apart, 700, 1.0, 3)]
    tilted = LogCosh([1.0, 0.5, 0.8], [[0.5], [-0.6], [0.1]])
    for name, problem in (("two on a line, from the optimum", line), ("log-cosh, from the optimum", tilted)):
        start = float(problem.optimum[0])  # type: ignore[index]
        found.append(instance(name, problem, 100, 0.01, 20, start))
    return [*found, instance("log-cosh", tilted, 10, 0.5, 60, 0.5)]


FAMILY = Family(
    assumptions={
        vocabulary.HESSIAN_DISSIMILARITY: MEASURED,
        vocabulary.LIPSCHITZ_HESSIAN: MEASURED,
        vocabulary.QUADRATIC: AssumptionRule(_quadratic),
    },
    instances=default_instances,
    constants={notation.delta_hess: _delta_hess, notation.third: _third},
)
