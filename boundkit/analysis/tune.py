"""Step sizes and local steps that minimise a bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import tau
from boundkit.algebra.printing import plain
from boundkit.analysis.answers_over_axes import answer_points
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate, evaluate_precisely, satisfied
from boundkit.analysis.minimisation import Minimum, minimum
from boundkit.analysis.parameters import Parameters, read_query
from boundkit.analysis.powers import power_sum, powers
from boundkit.analysis.predict import predict
from boundkit.analysis.step_size import largest, least, limit_at
from boundkit.analysis.tune_pair import tune_pair
from boundkit.analysis.tune_result import (
    Tuned,
    TunedAnswer,
    TunedOverAxes,
    no_minimum_error,
    tune_monotone,
    vanishing_condition,
)
from boundkit.report.formatting import format_number, join_names

OVER = ("eta", "eta_s", "eta,eta_s", "tau")


def tune(
    theorem: Theorem,
    /,
    over: str | Iterable[str] = "eta",
    *,
    excess: float = 0.01,
    table: object = None,
    **parameters: object,
) -> TunedAnswer:
    """Find the step sizes or local steps at which a bound is least, inside the conditions of the theorem.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    over : str
        What is tuned: "eta", "eta_s", both ("eta,eta_s"), or "tau".
    excess : float
        Where both steps are tuned and the bound has no minimiser: the share that the drifts may add to the
        infimum.
    table : pandas.DataFrame or xarray.Dataset, optional
        Further parameters; each row of a DataFrame is one point.
    **parameters
        Values of the other quantities, as for ``predict``: numbers, rules for the other step, or lists, which
        are answered element by element.

    Returns
    -------
    Tuned or TunedOverAxes
        ``values``, ``bound`` and, where there is a closed form, ``formula``; with lists the same over their
        axes. Where the bound is monotone in a step, the answer states it and holds the infimum.

    Raises
    ------
    BoundkitError
        For what cannot be tuned, and where no value is inside the conditions.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.tune("sgd_nonconvex", m=8, T=100, L=1, sigma=1, gap=1).formula
    sqrt(2)*sqrt(gap)*sqrt(m)/(sqrt(L)*sqrt(T)*sigma)
    >>> bk.tune("sgd_nonconvex", m=8, T=[100, 400]).bound.values
    array([0.1..., 0.05...])
    """
    names = _parse_over(over)
    query = read_query(theorem, table, parameters, names)
    statement = query.theorem

    def at_point(point: Parameters) -> Tuned:
        if names == ("tau",):
            return tune_local_steps(statement, point)
        if len(names) == 2:
            return tune_pair(statement, point, excess)
        return _tune_one(statement, names[0], point)

    if not query.parameters.axes:
        return at_point(query.parameters)
    answers = answer_points(query.parameters, at_point)
    return TunedOverAxes(statement, query.parameters, answers, names)


def best_step(theorem: Theorem, name: str, query: Parameters) -> Minimum:
    """Where the bound is least in one step, all else fixed.

    Raises BoundkitError where the infimum is at 0, where the bound falls for ever, or where no value is
    inside.
    """
    optimum = minimum_of(theorem, name, query)
    if optimum.monotone is not None:
        raise no_minimum_error(theorem, name, optimum.monotone)
    return optimum


def minimum_of(theorem: Theorem, name: str, query: Parameters) -> Minimum:
    """The minimum in one step, all else fixed; ``free`` is 0 or inf where there is no best one."""
    symbol = next(q for q in theorem.quantities if q.name == name)
    values = {n: float(v) for n, v in query.values.items()}
    return minimum(theorem.terms, symbol, values, float(limit_at(largest(theorem, symbol), values)))


def _tune_one(theorem: Theorem, name: str, query: Parameters) -> Tuned:
    optimum = minimum_of(theorem, name, query)
    symbol = next(q for q in theorem.quantities if q.name == name)
    least_allowed = float(evaluate(least(theorem, symbol), query.values))
    at_least = optimum.at < least_allowed
    if optimum.monotone is not None and not at_least:
        return tune_monotone(theorem, {name: optimum.at}, query, optimum.monotone, optimum.method)
    at = max(optimum.at, least_allowed)
    prediction = predict(theorem, **query.given, **{name: at})
    if not prediction.holds:
        raise BoundkitError(
            f"the other values are outside the conditions of {theorem.name} for every {name}."
        )
    note = ""
    if optimum.at_limit or at_least:
        which = "least" if at_least else "largest"
        note = f"the condition binds: {name} is the {which} that {theorem.name} allows"
        note += (
            f"; without the condition {format_number(optimum.free)} would be best."
            if 0 < optimum.free < inf
            else "."
        )
    return Tuned(
        theorem, (name,), {name: at}, prediction, optimum.at_limit or at_least, optimum.method, note,
        optimum.formula, name if optimum.formula is not None else "",
        "" if optimum.formula is None else _formula_condition(theorem, name, query),
    )  # fmt: skip


def _parse_over(over: str | Iterable[str]) -> tuple[str, ...]:
    names_given = [w.strip() for w in over.split(",")] if isinstance(over, str) else [str(w) for w in over]
    query = ",".join(sorted(names_given))
    if query not in OVER:
        raise BoundkitError(
            f"over = {query!r} was given, but what can be tuned is "
            f"{', '.join(map(repr, OVER[:-1]))} or {OVER[-1]!r}."
        )
    return tuple(sorted(names_given))


def _formula_condition(theorem: Theorem, name: str, query: Parameters) -> str:
    """Which terms must be 0 for the formula, as they are at these values."""
    values = {n: float(v) for n, v in query.values.items()} | {name: 1.0}
    seen = [t for t in theorem.terms if name in {s.name for s in t.expr.free_symbols}]
    return vanishing_condition([t.label for t in seen if float(evaluate(t.expr, values)) == 0])


EXACT = 100_000
"""Up to here every tau is tried."""

FARTHEST = 10.0**15
"""Counts beyond are no longer exact in floating point."""


def tune_local_steps(theorem: Theorem, query: Parameters) -> Tuned:
    """The tau of the least bound inside all conditions: exact up to 10^5, refined from a grid beyond.

    Inside means ``step_size`` and ``requires`` both. Where one power of tau falls and one grows, ``formula``
    is the best real tau without conditions. The bound is convex in log tau then, so the best whole tau is
    next to it. Where the bound falls with tau for ever the answer says so, and holds the infimum. Raises
    BoundkitError where the other values are outside the conditions for every tau.
    """
    values = {n: float(v) for n, v in query.values.items()}
    counts = np.arange(1.0, EXACT + 1)
    heights = _heights(theorem, values, counts)
    # Only where the largest tau tried is still inside, or none yet is, can a larger one be better.
    exhaustive = bool(np.isfinite(heights).any()) and not np.isfinite(heights[-1])
    if not exhaustive:
        counts, heights = _search_beyond(theorem, values)
    if not np.isfinite(heights).any():
        raise BoundkitError(_infeasible(theorem, values))
    best = float(counts[_place_of_least(theorem, values, counts, heights)])
    if best >= FARTHEST:
        return tune_monotone(theorem, {"tau": inf}, query, "falls for ever", "numeric")
    prediction = predict(theorem, **query.given, tau=best)
    following = {**values, "tau": best + 1}
    violated = _violated(theorem, following)
    at_limit = bool(violated) and bool(_increase(theorem, values, best, best + 1) < 0)
    formula = _formula_of_tau(theorem, values)
    note = (
        _search_note(theorem, values, float(counts[np.isfinite(heights)][-1]))
        if exhaustive
        else f"every tau up to {EXACT} was tried, larger ones on a geometric grid that was refined."
    )
    if at_limit:
        why = "is outside" if exhaustive else f"there {_violation_clause(violated)}"
        note += f" The condition binds: tau = {format_number(best + 1)} would be better, but {why}."
    if formula is not None:
        real = format_number(float(evaluate(formula, values)))
        note += f" The formula gives {real} before rounding: the best whole tau inside was taken."
    return Tuned(
        theorem, ("tau",), {"tau": best}, prediction, at_limit, "numeric", note,
        formula, "" if formula is None else "tau",
        "" if formula is None else _when_tau(theorem, values), counts=("tau",),
    )  # fmt: skip


def _formula_of_tau(theorem: Theorem, values: Mapping[str, float]) -> Expr | None:
    optimum = power_sum(theorem.terms, tau, values)
    return None if optimum is None else optimum.closed_form()


def _when_tau(theorem: Theorem, values: Mapping[str, float]) -> str:
    """Which terms, or parts of terms, must be 0 for the formula, as they are at these values."""
    vanishing: list[str] = []
    for term in theorem.terms:
        parts = {q: c for q, c in (powers(term.expr, tau) or {}).items() if q != 0}
        zero = [q for q, c in parts.items() if float(evaluate(c, values)) == 0]
        whole = len(zero) == len(parts) > 0
        vanishing += (
            [term.label] if whole else [f"the part of {term.label} with {plain(tau**q)}" for q in zero]
        )
    return vanishing_condition(vanishing)


def _violated(theorem: Theorem, values: Mapping[str, float]) -> list[str]:
    """The conditions that are not so at these values."""
    return [plain(c) for c in (*theorem.step_size, *theorem.requires) if not bool(satisfied(c, values))]


def _violation_clause(violated: list[str]) -> str:
    return f"{join_names(violated)} {'is' if len(violated) == 1 else 'are'} not so"


def _search_note(theorem: Theorem, values: Mapping[str, float], last: float) -> str:
    violated = _violated(theorem, {**values, "tau": last + 1})
    if not violated:  # the bound is no number there
        return f"every tau up to {format_number(last)} was tried; beyond, the bound is no number."
    verb = "allows" if len(violated) == 1 else "allow"
    return (
        f"every tau up to {format_number(last)}, the largest that {join_names(violated)} {verb}, was tried."
    )


def _infeasible(theorem: Theorem, values: Mapping[str, float]) -> str:
    said = f"the other values are outside the conditions of {theorem.name} for every tau"
    violated = _violated(theorem, {**values, "tau": 1.0})
    return f"{said}: at tau = 1, {_violation_clause(violated)}." if violated else f"{said}."


def _increase(theorem: Theorem, values: Mapping[str, float], here: float, there: float) -> Any:
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
        if _increase(theorem, values, float(counts[middle]), float(counts[middle + 1])) >= 0:
            last = middle
        else:
            first = middle + 1
    return first


def _search_beyond(
    theorem: Theorem, values: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
