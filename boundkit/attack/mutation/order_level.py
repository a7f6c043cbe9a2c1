"""Mutants of order-level bounds, tested on the sweeps of the verifier with unspecified constants at 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.measurements import Array
from boundkit.attack.mutation.mutant import Mutant
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks import Outcome
from boundkit.verification.checks.order_level import Point, points_at_all_steps, sweeps_of
from boundkit.verification.checks.slopes import UNBOUNDED, fit, judge_exponent
from boundkit.verification.engine_options import DEFAULT_OPTIONS, EngineOptions


@dataclass(frozen=True)
class OrderSweep:
    """One quantity at several values, with the measurements at each, on a grid of step sizes."""

    quantity: str
    at: Array
    points: Sequence[Sequence[Point]]

    def compare(self, theorem: Theorem) -> tuple[Outcome, float, float]:
        """Test whether the measurement grows faster than a bound; return the outcome and both slopes."""
        measured, bound = np.array([_best(theorem, each) for each in self.points]).T
        if not (bound > 0).all() or not np.isfinite(bound).all():
            return ("violated" if not (bound > 0).any() else "not tested"), np.nan, np.nan
        x = np.log(self.at)
        off, margin = fit(x, np.log(measured / bound))
        return (
            judge_exponent(off, margin, UNBOUNDED[self.quantity])[0],
            fit(x, np.log(measured))[0],
            fit(x, np.log(bound))[0],
        )


def order_sweeps(theorem: Theorem, engine_options: EngineOptions | None = None) -> list[OrderSweep]:
    """Return the sweeps of the theorem's own scaling whose values all have a measurement."""
    if theorem.kind != "order" or reasons_unsupported(theorem):
        return []
    try:
        sweeps = sweeps_of(theorem)
    except BoundkitError:
        return []
    names = {q.name for q in theorem.quantities} | {"target"}
    result = []
    for quantity, values in sweeps.values.items():
        if quantity not in names:
            continue
        try:
            every = [
                points_at_all_steps(
                    theorem, sweeps.vary(sweeps.instance, quantity, v), engine_options or DEFAULT_OPTIONS
                )
                for v in values
            ]
        except BoundkitError:
            continue
        successful = [[p for p in points if not p.failure] for points in every]
        if all(successful):
            result.append(OrderSweep(quantity, np.array(values, dtype=np.float64), successful))
    return result


def slope_contradiction(mutant: Mutant, sweeps: Sequence[OrderSweep]) -> str:
    """Return how the measurement outgrows the mutant, though not the theorem; empty where it does not."""
    for one in sweeps:
        if one.compare(mutant.original)[0] == "violated":
            continue
        outcome, measured, predicted = one.compare(mutant.theorem)
        if outcome == "violated":
            return f"in {one.quantity} the measured slope is {measured:.3f}, and the bound's {predicted:.3f}"
    return ""


def _best(theorem: Theorem, points: Sequence[Point]) -> tuple[float, float]:
    """Return measurement and bound at the step size with the smallest ratio."""
    bounds = [float(evaluate(theorem.bound.total, p.arguments)) for p in points]
    ratios = [p.measured / b if b > 0 else np.inf for p, b in zip(points, bounds, strict=True)]
    place = int(np.argmin(ratios))
    return points[place].measured, bounds[place]
