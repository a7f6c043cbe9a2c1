"""The best value of one quantity, inside its limit: from powers where there are powers, else by search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf, log
from typing import Any, Literal

import numpy as np
from sympy import Add, Expr, Symbol, diff

from boundkit.algebra import BoundkitError, Term
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate, evaluate_precisely
from boundkit.analysis.powers import PowerSum, power_sum

DECADES, POINTS_A_DECADE = 40, 100
"""How far below its limit, and how finely, a step is searched for where no formula helps."""

Monotone = Literal["infimum at 0", "falls for ever"]
"""How a bound moves with its steps where none is best."""


@dataclass(frozen=True)
class Minimum:
    """Where a sum of terms is least over 0 < x <= limit.

    ``free`` is the minimiser without the limit, 0 where the infimum is there and inf where it only falls
    (or where a search met the limit first).
    """

    free: float
    limit: float
    formula: Expr | None
    method: str

    @property
    def at(self) -> float:
        """The minimiser inside the limit."""
        return min(self.free, self.limit)

    @property
    def at_limit(self) -> bool:
        """Whether the limit binds; where the minimiser is the limit itself, up to rounding, it does."""
        return self.free >= self.limit * (1 - RELATIVE_TOLERANCE)

    @property
    def monotone(self) -> Monotone | None:
        """How the sum moves with x where no x is best; None where one is."""
        return "infimum at 0" if self.free == 0 else "falls for ever" if self.at == inf else None


def minimum(terms: Iterable[Term], symbol: Symbol, values: Mapping[str, float], limit: float) -> Minimum:
    """The minimum of the terms together, all other quantities fixed at the values."""
    terms = tuple(terms)
    result = power_sum(terms, symbol, values)
    if result is None:
        return Minimum(_search(terms, symbol, values, limit), limit, None, "numeric")
    if not result.falling or not result.growing:
        return Minimum(inf if result.falling else 0.0, limit, None, "closed form")
    formula = result.closed_form()
    if formula is not None:
        return Minimum(float(evaluate(formula, values)), limit, formula, "closed form")
    return Minimum(exp(_stationary_point(result)), limit, None, "numeric")


def root_of_growth(growing: Mapping[float, float], height: float) -> float:
    """The x at which sum c x^q, all c and q positive, reaches the height; inf for an empty sum."""
    if not growing:
        return inf
    # Each part alone reaches the height first; together they do at most n times sooner.
    single_roots = [log(height / c) / q for q, c in growing.items()]
    shared_roots = [log(height / (len(growing) * c)) / q for q, c in growing.items()]
    return exp(
        _zero(
            lambda u: sum(c * exp(q * u) for q, c in growing.items()) / height - 1,
            min(shared_roots),
            min(single_roots),
        )
    )


def exp(u: float) -> float:
    """e^u, which is inf or 0 where it leaves the range of numbers, and never an exception."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.exp(u))


def _stationary_point(result: PowerSum) -> float:
    """log x where the slope vanishes; the slope by log x grows, so there is one such point."""
    falling, growing = result.falling, result.growing
    balances = [log(-p * a / (q * b)) / (q - p) for p, a in falling.items() for q, b in growing.items()]
    weakest = min(q - p for p in falling for q in growing)
    low = min(balances) - log(len(growing)) / weakest
    high = max(balances) + log(len(falling)) / weakest
    return _zero(result.slope, low, high)


def _zero(function: Callable[[float], float], low: float, high: float) -> float:
    """A zero between two points of different sign; an end, where rounding put the zero on it."""
    from scipy.optimize import brentq

    at_low, at_high = function(low), function(high)
    if at_low >= 0:
        return low
    if at_high <= 0:
        return high
    return float(brentq(function, low, high, xtol=1e-14, rtol=1e-14))


def _search(terms: tuple[Term, ...], symbol: Symbol, values: Mapping[str, float], limit: float) -> float:
    """The minimiser on a grid of log x, then where the derivative vanishes between its neighbours.

    Heights that differ by rounding alone count as equal. Where they reach to an end of the grid, the sign of
    the derivative there decides whether the sum grows from the smallest x on, or falls up to the largest.
    """
    top = limit if limit < inf else 10.0 ** (DECADES / 2)
    grid = np.geomspace(top * 10.0**-DECADES, top, DECADES * POINTS_A_DECADE + 1)
    parts = [np.broadcast_to(evaluate(t.expr, {**values, symbol.name: grid}), grid.shape) for t in terms]
    total = np.asarray(sum(parts))
    heights = np.where(np.isfinite(total), total, inf)
    place = int(np.argmin(heights))
    if heights[place] == inf:
        raise BoundkitError(f"the bound is too large for a number at these values, whatever {symbol} is.")
    rounding = RELATIVE_TOLERANCE * float(sum(abs(part[place]) for part in parts))
    lowest = heights <= heights[place] + rounding
    first = int(np.argmax(lowest))
    last = first + int(np.argmin([*lowest[first:], False])) - 1
    low, high = float(grid[max(first - 1, 0)]), float(grid[min(last + 1, grid.size - 1)])
    slope = diff(Add(*(t.expr for t in terms)), symbol)
    if first > 0 and last < grid.size - 1:
        return exp(
            _zero(lambda u: float(evaluate(slope, {**values, symbol.name: exp(u)})), log(low), log(high))
        )

    def precise_slope(x: float) -> Any:
        return evaluate_precisely(slope, {**values, symbol.name: x})

    if first == 0 and not precise_slope(low) < 0:
        return 0.0
    if last == grid.size - 1 and not precise_slope(high) > 0:
        return inf
    return exp(_zero(lambda u: float(precise_slope(exp(u))), log(low), log(high)))
