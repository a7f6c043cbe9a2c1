"""The best number of local steps, at fixed steps."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import tau
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate, evaluate_precisely, satisfied
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.powers import power_sum, powers
from boundkit.analysis.predict import predict
from boundkit.analysis.tune_monotone import tune_monotone
from boundkit.analysis.tune_result import Tuned, where_zero
from boundkit.report.formatting import format_number, join_names

EXACT = 100_000
"""Up to here every tau is tried."""

FARTHEST = 10.0**15
"""Counts beyond are no longer exact in floating point."""


def tune_local_steps(theorem: Theorem, asked: Parameters) -> Tuned:
    """The tau of the least bound inside all conditions: exact up to 10^5, refined from a grid beyond.

    Inside means ``step_size`` and ``requires`` both. Where one power of tau falls and one grows, ``formula``
    is the best real tau without conditions. The bound is convex in log tau then, so the best whole tau is
    next to it. Where the bound falls with tau for ever the answer says so, and holds the infimum. Raises
    BoundkitError where the other values are outside the conditions for every tau.
    """
    values = {n: float(v) for n, v in asked.values.items()}
    counts = np.arange(1.0, EXACT + 1)
    heights = _heights(theorem, values, counts)
    # Only where the largest tau tried is still inside, or none yet is, can a larger one be better.
    searched_all = bool(np.isfinite(heights).any()) and not np.isfinite(heights[-1])
    if not searched_all:
        counts, heights = _beyond(theorem, values)
    if not np.isfinite(heights).any():
        raise BoundkitError(_nowhere(theorem, values))
    best = float(counts[_place_of_least(theorem, values, counts, heights)])
    if best >= FARTHEST:
        return tune_monotone(theorem, {"tau": inf}, asked, "falls for ever", "numeric")
    prediction = predict(
        theorem, **{n: v for n, v in asked.values.items() if n not in asked.assumed}, tau=best
    )
    following = {**values, "tau": best + 1}
    missed = _missed(theorem, following)
    at_limit = bool(missed) and bool(_rise(theorem, values, best, best + 1) < 0)
    formula = _formula(theorem, values)
    note = (
        _searched(theorem, values, float(counts[np.isfinite(heights)][-1]))
        if searched_all
        else f"every tau up to {EXACT} was tried, larger ones on a geometric grid that was refined."
    )
    if at_limit:
        why = "is outside" if searched_all else f"there {_not_so(missed)}"
        note += f" The condition binds: tau = {format_number(best + 1)} would be better, but {why}."
    if formula is not None:
        real = format_number(float(evaluate(formula, values)))
        note += f" The formula gives {real} before rounding: the best whole tau inside was taken."
    return Tuned(
        theorem, ("tau",), {"tau": best}, prediction, at_limit, "numeric", note,
        formula, "" if formula is None else "tau",
        "" if formula is None else _when(theorem, values), counts=("tau",),
    )  # fmt: skip


def _formula(theorem: Theorem, values: Mapping[str, float]) -> Expr | None:
    found = power_sum(theorem.terms, tau, values)
    return None if found is None else found.closed_form()


def _when(theorem: Theorem, values: Mapping[str, float]) -> str:
    """Which terms, or parts of terms, must be 0 for the formula, as they are at these values."""
    gone: list[str] = []
    for term in theorem.terms:
        parts = {q: c for q, c in (powers(term.expr, tau) or {}).items() if q != 0}
        zero = [q for q, c in parts.items() if float(evaluate(c, values)) == 0]
        whole = len(zero) == len(parts) > 0
        gone += [term.label] if whole else [f"the part of {term.label} with {plain(tau**q)}" for q in zero]
    return where_zero(gone)


def _missed(theorem: Theorem, values: Mapping[str, float]) -> list[str]:
    """The conditions that are not so at these values."""
    return [plain(c) for c in (*theorem.step_size, *theorem.requires) if not bool(satisfied(c, values))]


def _not_so(missed: list[str]) -> str:
    return f"{join_names(missed)} {'is' if len(missed) == 1 else 'are'} not so"


def _searched(theorem: Theorem, values: Mapping[str, float], last: float) -> str:
    missed = _missed(theorem, {**values, "tau": last + 1})
    if not missed:  # the bound is no number there
        return f"every tau up to {format_number(last)} was tried; beyond, the bound is no number."
    verb = "allows" if len(missed) == 1 else "allow"
    return f"every tau up to {format_number(last)}, the largest that {join_names(missed)} {verb}, was tried."


def _nowhere(theorem: Theorem, values: Mapping[str, float]) -> str:
    said = f"the other values are outside the conditions of {theorem.name} for every tau"
    missed = _missed(theorem, {**values, "tau": 1.0})
    return f"{said}: at tau = 1, {_not_so(missed)}." if missed else f"{said}."


def _rise(theorem: Theorem, values: Mapping[str, float], here: float, there: float) -> Any:
    """How much larger the bound is at another tau, term by term and with many digits."""
    ends = [{**values, "tau": count} for count in (there, here)]
    parts = [
        [evaluate_precisely(t.expr, end) for end in ends] for t in theorem.terms if tau in t.expr.free_symbols
    ]
    return sum(after - before for after, before in parts)


def _heights(
    theorem: Theorem, values: Mapping[str, float], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The bound at every count, inf outside the conditions."""
    at: dict[str, ArrayLike] = {**values, "tau": counts}
    total = np.zeros(counts.shape)
    for term in theorem.terms:
        total = total + evaluate(term.expr, at)
    inside = np.isfinite(total)
    for condition in (*theorem.step_size, *theorem.requires):
        inside = inside & satisfied(condition, at)
    return np.where(inside, total, np.inf)


def _place_of_least(
    theorem: Theorem,
    values: Mapping[str, float],
    counts: NDArray[np.float64],
    heights: NDArray[np.float64],
) -> int:
    """The place of the least bound; where rounding hides it, the first from which the bound grows."""
    place = int(np.argmin(heights))
    rounding = RELATIVE_TOLERANCE * abs(heights[place])
    others = np.flatnonzero(~(heights <= heights[place] + rounding))
    first = int(others[others < place].max(initial=-1)) + 1
    last = int(others[others > place].min(initial=counts.size)) - 1
    while first < last:
        middle = (first + last) // 2
        if _rise(theorem, values, float(counts[middle]), float(counts[middle + 1])) >= 0:
            last = middle
        else:
            first = middle + 1
    return first


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
        place = _place_of_least(theorem, values, counts, heights)
        low, high = float(counts[max(place - 1, 0)]), float(counts[min(place + 1, counts.size - 1)])
