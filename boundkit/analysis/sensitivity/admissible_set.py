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

from sympy import Dummy, Expr, Integer, Rational, Symbol, oo
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.analysis.powers import monomial
from boundkit.analysis.sensitivity.sampling import Sample, sides

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
        usual: Chart = (*[related] * len(related), {q: _inside(q, lower.get(q)) for q in quantities})
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


def _inside(quantity: Quantity, raised: Rational | None) -> Expr:
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
