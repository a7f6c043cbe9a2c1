"""Checks of units: by the rules of dimensions, and once more by changing the units in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from boundkit.algebra import Dimension, DimensionError, Quantity, dimension_of
from boundkit.algebra.dimension import check_relation
from boundkit.algebra.notation import units_of
from boundkit.algebra.printing import plain
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.points import numbers
from boundkit.analysis.check.result import Found, failed, passed
from boundkit.analysis.evaluate import evaluate

UNITS: Mapping[str, float] = {f.name: (3.0, 0.4, 7.0, 5.0)[i] for i, f in enumerate(fields(Dimension))}
"""By how much each unit is changed."""

_TOLERANCE = 1e-9


def dimensions(setting: Setting) -> Found:
    """Every term has the dimension of the claim, and every condition compares like with like."""
    theorem, units = setting.theorem, units_of(*setting.formulas)
    try:
        for term in theorem.terms:
            dimension = dimension_of(term.expr, units)
            if dimension not in (None, theorem.claim.dimension):
                return failed(
                    f"the term {term.label!r}, {plain(term.expr)}, has dimension {dimension}, but the "
                    f"{theorem.claim.name} has {theorem.claim.dimension}."
                )
        for condition in setting.conditions:
            check_relation(condition, units)
    except DimensionError as error:
        return failed(str(error))
    return passed(f"every term is {theorem.claim.dimension}, as the {theorem.claim.name} is.")


def scale(setting: Setting) -> Found:
    """F -> a F, x -> b x (and seconds -> c seconds) leave the bound and its conditions as true as before."""
    factor = _factor(setting.theorem.claim.dimension)
    for point in setting.points:
        before, after = numbers(point), rescaled(point)
        for term in setting.theorem.terms:
            wanted, is_now = factor * float(evaluate(term.expr, before)), float(evaluate(term.expr, after))
            if not np.isclose(is_now, wanted, rtol=_TOLERANCE, atol=0):
                return failed(
                    f"in other units the term {term.label!r} changes by {is_now / wanted:.3g} times as much "
                    f"as the {setting.theorem.claim.name} does."
                )
        for condition in setting.conditions:
            (left, right), (new_left, new_right) = (
                [float(evaluate(side, values)) for side in condition.args] for values in (before, after)
            )
            if not np.isclose(new_left * right, new_right * left, rtol=_TOLERANCE, atol=0):
                return failed(f"in other units {plain(condition)} allows other runs.")
    changes = ", ".join(f"{name} times {by:g}" for name, by in UNITS.items())
    return passed(f"terms and conditions follow a change of units ({changes}) at random points.")


def rescaled(point: Mapping[Quantity, object]) -> dict[str, float]:
    """The same point in other units."""
    return {q.name: float(value) * _factor(q.dimension) for q, value in point.items()}  # type: ignore[arg-type]


def _factor(dimension: Dimension) -> float:
    return float(np.prod([by ** float(getattr(dimension, name)) for name, by in UNITS.items()]))
