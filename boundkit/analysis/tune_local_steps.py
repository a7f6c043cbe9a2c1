"""The best number of local steps, at fixed steps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.predict import predict
from boundkit.analysis.rendering import shown
from boundkit.analysis.step_size import holds
from boundkit.analysis.tuned import Tuned

EXACT = 100_000
"""Up to here every tau is tried."""

FARTHEST = 10.0**15
"""Counts beyond are no longer exact in floating point."""


def tune_local_steps(theorem: Theorem, asked: Parameters) -> Tuned:
    """The tau of the least bound inside the condition: exact up to 10^5, refined from a grid beyond.

    Raises BoundkitError where the other values are outside the condition for every tau, or where the
    bound falls with tau for ever.
    """
    values = {n: float(v) for n, v in asked.values.items()}
    counts = np.arange(1.0, EXACT + 1)
    heights = _heights(theorem, values, counts)
    if not np.isfinite(heights).any():
        raise BoundkitError(f"the other values are outside the conditions of {theorem.name} for every tau.")
    # Only where the largest tau tried is still inside can a larger one be better.
    searched_all = not np.isfinite(heights[-1])
    if not searched_all:
        counts, heights = _beyond(theorem, values)
    best = float(counts[int(np.argmin(heights))])
    if best >= FARTHEST:
        raise BoundkitError(f"the bound of {theorem.name} falls with tau for ever, and nothing limits it.")
    prediction = predict(
        theorem, **{n: v for n, v in asked.values.items() if n not in asked.assumed}, tau=best
    )
    following = {**values, "tau": best + 1}
    at_limit = not bool(holds(theorem, following)) and _total(theorem, following) < float(prediction.total)
    last = counts[np.isfinite(heights)][-1]
    note = (
        f"every tau up to {shown(last)}, the largest that the condition allows, was tried."
        if searched_all
        else f"every tau up to {EXACT} was tried, larger ones on a geometric grid that was refined."
    )
    if at_limit:
        note += f" The condition binds: tau = {shown(best + 1)} would be better, but is outside."
    return Tuned(theorem, ("tau",), {"tau": best}, prediction, at_limit, "numeric", note, counts=("tau",))


def _total(theorem: Theorem, values: Mapping[str, float | NDArray[np.float64]]) -> float:
    return float(sum(float(evaluate(t.expr, values)) for t in theorem.terms))


def _heights(
    theorem: Theorem, values: Mapping[str, float], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The bound at every count, inf outside the condition."""
    at: dict[str, ArrayLike] = {**values, "tau": counts}
    total = np.zeros(counts.shape)
    for term in theorem.terms:
        total = total + evaluate(term.expr, at)
    inside = np.broadcast_to(holds(theorem, at), counts.shape)
    return np.where(inside & np.isfinite(total), total, np.inf)


def _beyond(theorem: Theorem, values: Mapping[str, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A geometric grid up to the farthest tau, made finer around its best point until it is exact."""
    low, high = 1.0, FARTHEST
    while True:
        spaced = np.geomspace(low, high, EXACT) if high > 2 * low else np.linspace(low, high, EXACT)
        counts = np.unique(np.round(spaced)) if high - low > EXACT else np.arange(low, high + 1)
        counts = np.union1d(counts, np.arange(1.0, EXACT + 1)) if low == 1.0 else counts
        heights = _heights(theorem, values, counts)
        if high - low <= EXACT:
            return counts, heights
        place = int(np.argmin(heights))
        low, high = float(counts[max(place - 1, 0)]), float(counts[min(place + 1, counts.size - 1)])
