"""How far measured values are from a bound, and how much of each term they need: formulas on arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem
from boundkit.analysis.evaluate import evaluate, satisfied

Array = NDArray[np.float64]


def inside(theorem: Theorem, values: Mapping[str, Array], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where every condition of the theorem holds."""
    met = np.ones(shape, dtype=bool)
    for relation in (*theorem.step_size, *theorem.requires):
        met &= satisfied(relation, values)
    return met


def ratios(
    theorem: Theorem, values: Mapping[str, Array], ends: tuple[Array, Array], zero: float | Array
) -> Array:
    """measured/bound (bound/measured of a lower bound), in the benefit of the doubt; nan outside.

    The low end of what was measured counts, less what rounding leaves, so that above 1 it is a violation.
    An upper bound that is not above 0 is below anything that was measured.
    """
    low, high = ends
    bound = np.broadcast_to(evaluate(theorem.bound.total, values), low.shape)
    with np.errstate(all="ignore"):
        if theorem.kind == "lower":
            found = bound / (high + zero)
        else:
            found = np.where(low <= zero, 0.0, np.where(bound > 0, (low - zero) / bound, np.inf))
    return np.where(inside(theorem, values, low.shape) & ~np.isnan(bound), found, np.nan)


def shares(theorem: Theorem, label: str, values: Mapping[str, Array], low: Array) -> Array:
    """(measured - all other terms)/term where the term is there and the conditions hold, else nan."""
    term = np.broadcast_to(evaluate(theorem.bound.terms[label].expr, values), low.shape)
    others = np.broadcast_to(evaluate(theorem.bound.total, values), low.shape) - term
    with np.errstate(all="ignore"):
        found = (low - others) / term
    speaks = inside(theorem, values, low.shape) & (term > 0) & np.isfinite(found)
    return np.where(speaks, found, np.nan)
