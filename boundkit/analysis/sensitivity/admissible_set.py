"""Admissible set of a theorem: the domains of its quantities and its conditions, as changes of variables.

To show that (tau - 1)/tau^2 >= 0 for every count tau, put tau = 1 + t with t >= 0: it becomes
t/(1 + t)^2, which has no minus sign. A chart is such a change of variables to nonnegative symbols. Each chart
covers every admissible point, so that a sign proved on one of them holds. A sample of admissible points
excludes signs before a proof is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite

import numpy as np
from numpy.typing import NDArray
from sympy import Dummy, Expr, Integer, Rational, Symbol, oo
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import C, m
from boundkit.analysis.evaluate import Array, evaluate, satisfied
from boundkit.analysis.powers import monomial
from boundkit.report.formatting import format_number

DECADES = 2.0
"""Decades of the samples on both sides of the typical value."""

ROUNDS_OF_DRAWING = 20


@dataclass(frozen=True, eq=False)
class Sample:
    """Values by keyword, one array each, of ``size`` points; ``ranges`` as text."""

    values: Mapping[str, Array]
    ranges: str

    @property
    def size(self) -> int:
        """Number of points."""
        return int(next(iter(self.values.values())).size) if self.values else 0


def sample(
    quantities: Iterable[Quantity],
    conditions: Iterable[Relational] = (),
    step: Symbol | None = None,
    limits: Iterable[Expr] = (),
    size: int = 400,
    seed: int = 0,
) -> Sample:
    """Points in the domains, log-uniform where these are unbounded, that satisfy the conditions.

    Counts are whole, C m too. A ``step`` is drawn up to four decades below the least of its limits. The
    sample may hold fewer than ``size`` points, or none, where the conditions are narrow.
    """
    quantities = tuple(q for q in quantities if q != step)
    rng = np.random.default_rng(seed)
    kept: dict[str, list[Array]] = {}
    count = 0
    for turn in range(ROUNDS_OF_DRAWING):
        # Conditions that no point has satisfied so far need a wider range.
        decades = DECADES if count or turn < 5 else 2 * DECADES if turn < 10 else 4 * DECADES
        drawn = {q.name: _drawn(q, rng, size, decades) for q in quantities}
        if {"C", "m"} <= set(drawn) and C in quantities and m in quantities:
            clients = np.ceil(rng.uniform(0, 1, size) * drawn["m"])
            drawn["C"] = np.maximum(clients, 1) / drawn["m"]
        if step is not None:
            drawn[step.name] = _steps(drawn, limits, rng, size)
        good = np.ones(size, dtype=bool)
        for condition in conditions:
            good &= met(condition, drawn, size)
        for name, values in drawn.items():
            kept.setdefault(name, []).append(values[good])
        count += int(good.sum())
        if count >= size:
            break
    joined = {name: np.concatenate(parts)[:size] for name, parts in kept.items()}
    ranges = [_range(q, joined[q.name]) for q in quantities if joined[q.name].size]
    return Sample(joined, ", ".join(ranges))


def _drawn(quantity: Quantity, rng: np.random.Generator, size: int, decades: float) -> Array:
    low, high = quantity.domain.lower, quantity.domain.upper
    typical = float(quantity.typical)
    if np.isfinite(high):
        return low + (high - low) * rng.uniform(0.001, 0.999, size)
    centre = typical if typical > 0 else 1.0
    values = centre * 10.0 ** rng.uniform(-decades, decades, size)
    if quantity.domain.whole:
        return np.maximum(np.round(values), low)
    return np.maximum(values, low * (1 + 1e-3)) if low > 0 else values


def _steps(values: Mapping[str, Array], limits: Iterable[Expr], rng: np.random.Generator, size: int) -> Array:
    least = smallest_limit(limits, values, size)
    return np.where(np.isfinite(least), least, 1.0) * 10.0 ** rng.uniform(-4, 0, size)


def smallest_limit(limits: Iterable[Expr], values: Mapping[str, Array], size: int) -> Array:
    """The smallest of the limits at every point, without those that are not a number; inf for none."""
    least = np.full(size, np.inf)
    for limit in limits:
        at = np.broadcast_to(evaluate(limit, values), (size,))
        least = np.minimum(least, np.where(np.isnan(at), np.inf, at))
    return least


def _range(quantity: Quantity, values: Array) -> str:
    least, most = (format_number(float(f"{end:.2g}")) for end in (values.min(), values.max()))
    return f"{quantity.name} {least} to {most}"


def met(relation: Relational, values: Mapping[str, Array], size: int) -> NDArray[np.bool_]:
    """At which points a relation holds, up to a relative 1e-12; inf is at most inf only."""
    holds = np.broadcast_to(satisfied(relation, values), (size,))
    # The tolerance of a comparison with inf is inf, and then everything would be true.
    small, large = (np.broadcast_to(evaluate(x, values), (size,)) for x in sides(relation))
    return np.asarray(holds & (~np.isposinf(small) | np.isposinf(large)))


Chart = tuple[Mapping[Symbol, Expr], ...]
"""Replacements, made one after the other."""


@dataclass(frozen=True, eq=False)
class AdmissibleSet:
    """The charts, on any one of which a sign may be proved, and some admissible points."""

    charts: tuple[Chart, ...]
    points: Sample

    def on_charts(self, expr: Expr) -> Iterable[Expr]:
        """The expression on each chart, the same one only once."""
        shown: list[Expr] = []
        for chart in self.charts:
            result = expr
            for stage in chart:
                result = result.xreplace(dict(stage))
            if result not in shown:
                shown.append(result)
                yield result


def admissible_set(
    quantities: Iterable[Quantity],
    points: Sample,
    requires: Iterable[Relational] = (),
    step: Symbol | None = None,
    limits: Iterable[Expr] = (),
) -> AdmissibleSet:
    """The charts of some quantities under the requirements of a theorem, and for a step below its limits."""
    quantities, requires = tuple(quantities), tuple(requires)
    charts: list[Chart] = []
    for raise_the_larger in (False, True):
        lower, related = _related(requires, raise_the_larger)
        # As often as one replacement may bring in the left side of another.
        usual: Chart = (*[related] * len(related), {q: _parametrised(q, lower.get(q)) for q in quantities})
        charts.append(usual)
        if step is not None:
            below = _at_least_zero("below", step)
            charts += [({step: limit / (1 + below)}, *usual) for limit in limits if limit != oo]
        if not related:
            break
    return AdmissibleSet(tuple(charts), points)


def _related(
    requires: Iterable[Relational], raise_the_larger: bool
) -> tuple[dict[Symbol, Rational], dict[Symbol, Expr]]:
    """The requirements, as larger lower ends of domains and as one quantity in terms of others."""
    lower: dict[Symbol, Rational] = {}
    related: dict[Symbol, Expr] = {}
    for relation in requires:
        small, large = sides(relation)
        if isinstance(large, Quantity) and small.is_Rational:
            lower[large] = max(small, lower.get(large, small))
            continue
        bare = isinstance(small, Quantity)
        raised = isinstance(large, Quantity) and large not in small.free_symbols
        solved = None if raised and (raise_the_larger or not bare) else _solved(small, large)
        if solved is not None:
            symbol, expr = solved
        elif raised:
            symbol, expr = large, small + _at_least_zero("above", large)
        else:
            continue
        if symbol not in related and symbol not in _all_of(expr, related):
            related[symbol] = expr
    return lower, related


def _all_of(expr: Expr, related: Mapping[Symbol, Expr]) -> set[Symbol]:
    """The symbols of an expression after all replacements."""
    result: set[Symbol] = set(expr.free_symbols)
    waiting = list(result)
    for symbol in waiting:
        more = related[symbol].free_symbols - result if symbol in related else set()
        result |= more
        waiting += more
    return result


def _solved(small: Expr, large: Expr) -> tuple[Symbol, Expr] | None:
    """small <= large as q = edge/(1 + something), for a quantity of which small is a positive power."""
    if not large.is_positive:
        return None
    for symbol in sorted(small.free_symbols - large.free_symbols, key=str):
        result = monomial(small, symbol)
        if result is not None and result[1] > 0 and result[0].is_positive:
            return symbol, (large / result[0]) ** (1 / result[1]) / (1 + _at_least_zero("below", symbol))
    return None


@lru_cache(maxsize=1024)
def _at_least_zero(how: str, symbol: Symbol) -> Dummy:
    return Dummy(f"{how}_{symbol}", nonnegative=True)


def _parametrised(quantity: Quantity, raised: Rational | None) -> Expr:
    """The values of a quantity, parametrised by a nonnegative symbol."""
    low, high = quantity.domain.lower, quantity.domain.upper
    free = _at_least_zero("above", quantity)
    if isfinite(high):
        bottom, top = _exact(low), _exact(high)
        if quantity.domain.includes_lower and not quantity.domain.includes_upper:
            return (bottom + top * free) / (1 + free)
        return (top + bottom * free) / (1 + free)
    least = _exact(low) if raised is None else max(raised, _exact(low))
    return quantity if least == 0 else least + free


def _exact(value: float) -> Rational:
    return Integer(int(value)) if value == int(value) else Rational(str(value))
