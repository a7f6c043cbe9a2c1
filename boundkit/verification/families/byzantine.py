"""Byzantine clients: robust aggregation, and the coefficients of the aggregators."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance


def coefficient(aggregator: str, clients: int, byzantine: int) -> float:
    """The smallest robustness coefficient of an aggregator, with ``byzantine`` of ``clients``.

    Raises BoundkitError where there is none.

    >>> coefficient("trimmed_mean", 7, 2), coefficient("median", 7, 2), coefficient("median", 8, 2)
    (0.6666666666666666, 1.5, 1.0)
    """
    n, f = clients, byzantine
    if 2 * f >= n:
        raise BoundkitError(f"{f} of {n} clients are Byzantine, and less than half of them may be.")
    if aggregator == "trimmed_mean":
        return f / (n - 2 * f)
    if aggregator == "median":
        return (n - 1) / (n - 2 * f + 1) if n % 2 else (n - 2) / (n - 2 * f + 2)
    raise BoundkitError(f"the aggregator {aggregator} has no robustness coefficient.")


def _coefficient(run: Run) -> float:
    settings = run.algorithm.settings
    if "aggregator" not in settings:
        raise BoundkitError(f"{run.algorithm.name} has no aggregator of Byzantine clients.")
    f = int(settings["byzantine"])
    return coefficient(settings["aggregator"], run.problem.m + f, f)


def _robust(theorem: Theorem, run: Run) -> str:
    try:
        _coefficient(run)
    except BoundkitError as reason:
        return f"it needs a robust aggregator: {str(reason).rstrip('.')}"
    return ""


def _robustness(context: EvaluationContext) -> Constant:
    return Constant(_coefficient(context.run), "exact", "of the aggregator, from its formula")


def hidden(honest: int, byzantine: int) -> Quadratic:
    """Honest clients on a line of which the trimmed mean drops ``byzantine``, with its fixed point at -1."""
    high = [[(honest - byzantine) / byzantine]] * byzantine
    return Quadratic([1.0] * honest, [*high, *[[-1.0]] * (honest - byzantine)])


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """The instance that attains the floor, heterogeneous clients, and losses that are not convex."""
    if not theorem.assumes("robust-aggregation"):
        return None
    noise = 0.5 if theorem.assumes("bounded-noise") else 0.0
    tau = 1 if theorem.assumes("one-local-step") else 6
    heterogeneous = Quadratic.random(7, 2, 2, dense=True, spread=2.0, noise=noise, curvature=(0.2, 1.0))
    nonconvex = SmoothNonconvex.random(6, 3, seed=4, noise=noise)
    steep = Quadratic([4.0] * 4, np.zeros((4, 1)), noise=noise)

    def instance(name: str, problem: Problem, start: float, rounds: int, **options: Any) -> Instance:
        return Instance(name, problem, tau, rounds=rounds, options=options, x0=np.full(problem.d, start))

    return [
        instance("at the fixed point of the attack", hidden(5, 2), -1.0, 1000, byzantine=2),
        instance("heterogeneous clients", heterogeneous, 2.0, 80),
        instance("heterogeneous clients, median", heterogeneous, 2.0, 80, aggregator="median", byzantine=3),
        instance("an even number, median", hidden(6, 2), 2.0, 80, aggregator="median", byzantine=2),
        instance("not convex", nonconvex, 2.0, 80, byzantine=2),
        instance("another attack", heterogeneous, 2.0, 80, byzantine=3, attack="opposite"),
        instance("homogeneous clients", steep, 2.0, 20),
        instance("one round", heterogeneous, 2.0, 1),
    ]


FAMILY = Family(
    assumptions={vocabulary.ROBUST_AGGREGATION: AssumptionRule(_robust)},
    instances=default_instances,
    constants={notation.robustness: _robustness},
)
