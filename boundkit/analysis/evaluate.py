"""Expressions as numbers: compiled once, then broadcast over the axes of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Dummy, Expr, Float, Pow, S, Symbol
from sympy.core.relational import Relational
from sympy.printing.numpy import NumPyPrinter

from boundkit.algebra.sums import LocalRun, no_step, one_step

_SMALLEST, _LARGEST, _DECADE = 1e-60, 1e60, 10.0
_HALVINGS = 60
"""Enough to find a number inside one decade to all its digits."""


class Threshold(Expr):  # type: ignore[misc]  # sympy carries no types
    """The first x at which small <= large fails, from below; inf where it never does.

    It is an expression in all other symbols, and is evaluated by search.
    """

    is_commutative = True
    is_extended_positive = True

    def __new__(cls, small: Expr, large: Expr, x: Symbol) -> Threshold:
        bound = Dummy(x.name, positive=True)
        self: Threshold = Expr.__new__(cls, small.xreplace({x: bound}), large.xreplace({x: bound}), bound)
        return self

    @property
    def excess(self) -> Expr:
        """What must not be above 0."""
        return self.args[0] - self.args[1]

    @property
    def bound(self) -> Symbol:
        """The symbol for which the search solves."""
        return self.args[2]

    @property
    def free_symbols(self) -> set[Symbol]:
        """All symbols but the one for which the search solves."""
        return set(self.excess.free_symbols) - {self.bound}

    def _sympystr(self, printer: Any) -> str:
        small, large = (printer._print(side) for side in self.args[:2])
        return f"largest {self.bound.name} with {small} <= {large}"


def first_failure(excess: Callable[[Array], Array], shape: tuple[int, ...]) -> Array:
    """Where ``excess`` first rises above 0: by decades, then by halving the last one; inf where nowhere.

    >>> round(float(first_failure(lambda x: x**2 - 9, ())), 12)
    3.0
    """
    low = np.full(shape, _SMALLEST)
    searching = np.full(shape, True)
    while searching.any() and low.max(initial=0) < _LARGEST:
        searching &= ~_failed(excess, low * _DECADE)
        low = np.where(searching, low * _DECADE, low)
    high = low * _DECADE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        failed = _failed(excess, middle)
        low, high = np.where(failed, low, middle), np.where(failed, middle, high)
    return np.where(searching, np.inf, low)


def _failed(excess: Callable[[Array], Array], x: Array) -> NDArray[np.bool_]:
    with np.errstate(all="ignore"):
        return np.asarray(~(excess(x) <= 0))


Array = NDArray[np.float64]

RELATIVE_TOLERANCE = 1e-12
"""How far a relation may be missed, so that a limit computed in floating point satisfies itself."""

DIGITS = 200
"""Of an evaluation with many digits: 1 - (1 - x)^T loses as many as x has decades below 1."""

_MET: dict[str, Callable[[Array, Array, Array], NDArray[np.bool_]]] = {
    "<=": lambda left, right, slack: left <= right + slack,
    "<": lambda left, right, slack: left < right + slack,
    ">=": lambda left, right, slack: left >= right - slack,
    ">": lambda left, right, slack: left > right - slack,
}


def evaluate(expr: Expr, values: Mapping[str, ArrayLike]) -> Array:
    """The expression at values by keyword, broadcast against each other.

    Divisions by zero give inf and undefined results nan, without a warning: the caller decides.

    >>> from boundkit.algebra.notation import eta, tau
    >>> evaluate(eta * (tau - 1), {"eta": 0.5, "tau": [1.0, 3.0]})
    array([0., 1.])
    """
    names, function = _compiled_with_names(expr)
    arguments = [np.asarray(values[name], dtype=np.float64) for name in names]
    with np.errstate(all="ignore"):
        return np.asarray(function(*arguments), dtype=np.float64)


def evaluate_precisely(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The expression at numbers by keyword, with enough digits for its sign.

    As a double where it has no form in many digits.

    >>> from boundkit.algebra.notation import T, eta
    >>> bool(evaluate_precisely(1 - (1 - eta) ** T - eta * T, {"eta": 1e-30, "T": 3.0}) < 0)
    True
    """
    substitutions = {s: Float(values[s.name], DIGITS) for s in expr.free_symbols}
    exact = expr.xreplace(substitutions).evalf(DIGITS)
    return exact if exact.is_comparable else float(evaluate(expr, {n: float(v) for n, v in values.items()}))


def satisfied(relation: Relational, values: Mapping[str, ArrayLike]) -> NDArray[np.bool_]:
    """Where the relation holds, up to a relative 1e-12."""
    left, right = evaluate(relation.lhs, values), evaluate(relation.rhs, values)
    with np.errstate(all="ignore"):
        slack = RELATIVE_TOLERANCE * np.maximum(np.abs(left), np.abs(right))
        return np.asarray(_MET[relation.rel_op](left, right, slack))


def index_of_largest(values: Iterable[ArrayLike]) -> NDArray[np.intp]:
    """The place of the largest of several arrays at every point; the first of those equal up to 1e-12.

    >>> int(index_of_largest([0.1 + 0.2, 0.3])), int(index_of_largest([0.3, 0.1 + 0.2]))
    (0, 0)
    """
    several = iter(values)
    height = np.asarray(next(several), dtype=np.float64)
    best = np.zeros(height.shape, dtype=np.intp)
    for place, one in enumerate(several, start=1):
        with np.errstate(invalid="ignore"):
            slack = np.where(np.isfinite(height), RELATIVE_TOLERANCE * np.abs(height), 0.0)
            above = np.asarray(one) > height + slack
        best, height = np.where(above, place, best), np.where(above, one, height)
    return best


def first_largest(series: Array) -> int:
    """The place of the largest number of a series; the first of those equal up to 1e-12.

    >>> first_largest(np.array([0.2, 0.3, 0.1 + 0.2]))
    1
    """
    place = int(np.argmax(series))
    top = float(series[place])
    if not np.isfinite(top):
        return place
    return int(np.argmax(series >= top - RELATIVE_TOLERANCE * abs(top)))


def power_near_one(away: Array, exponent: Array) -> Array:
    """(1 + away)**exponent, exact to rounding where away is tiny and the exponent huge.

    >>> float(power_near_one(np.float64(-1e-12), np.float64(1e12)))  # (1 - 1e-12)**1e12 is 0.36786
    0.36787944117125...
    """
    near = np.abs(away) < 0.5
    return np.where(near, np.exp(exponent * np.log1p(np.where(near, away, 0))), (1 + away) ** exponent)


def binomial(n: Array, k: Array) -> Array:
    """n over k, for floats.

    >>> float(binomial(np.float64(5), np.float64(2)))
    10.0
    """
    from scipy.special import binom  # slow to import, and few theorems need it

    return np.asarray(binom(n, k))


def polygamma(order: int | Array, x: Array) -> Array:
    """The derivative of that order of the digamma function, of which slopes of binomials are made.

    >>> float(polygamma(0, np.float64(1)))
    -0.5772156649015...
    """
    from scipy import special  # slow to import, and few theorems need it

    return np.asarray(special.polygamma(np.asarray(order, dtype=np.intp), x))


def one_minus_power(away: Array, exponent: Array) -> Array:
    """1 - (1 + away)**exponent, exact to rounding where it is tiny.

    >>> float(one_minus_power(np.float64(-1e-20), np.float64(2)))
    2e-20
    """
    near = np.abs(away) < 0.5
    small = -np.expm1(exponent * np.log1p(np.where(near, away, 0)))
    return np.where(near, small, 1 - (1 + away) ** exponent)


def geometric_sum(away: Array, terms: Array) -> Array:
    """The sum of (1 + away)**k over k = 0, ..., terms - 1, exact to rounding where away is tiny.

    >>> float(geometric_sum(np.float64(-0.5), np.float64(3)))
    1.75
    >>> float(geometric_sum(np.float64(0), np.float64(1e9)))
    1000000000.0
    """
    still = away == 0
    return np.where(still, terms, one_minus_power(away, terms) / np.where(still, 1, -away))


def complement_power(expr: Expr) -> Any:
    """The power (1 + x)**n of an expression 1 - (1 + x)**n, n being no number; None for any other."""
    power = 1 - expr
    if not isinstance(power, Pow) or power.exp.is_number or not power.base.is_Add:
        return None
    return power if S.One in power.base.args else None


def local_run(a: ArrayLike, b: ArrayLike, n: ArrayLike) -> LocalRun:
    """The sums over n steps, n an array of whole numbers: a doubling for each binary digit.

    >>> float(local_run(np.float64(0.5), np.float64(0), np.float64(3)).weights)
    1.75
    """
    growth, momentum, counts = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (a, b, n)))
    one = np.ones(counts.shape)
    single = one_step(growth, momentum, one)
    total, steps = no_step(one), counts.astype(np.int64)
    for digit in reversed(range(int(steps.max(initial=0)).bit_length())):
        total = total.then(total)
        more, odd = total.then(single), (steps >> digit) & 1 == 1
        pairs = zip(vars(more).values(), vars(total).values(), strict=True)
        total = LocalRun(*(np.where(odd, with_it, without) for with_it, without in pairs))
    return total


def weight_sum(a: Array, b: Array, n: Array) -> Array:
    """``WeightSum`` in numbers."""
    return np.asarray(local_run(a, b, n).weights)


def weight_squares(a: Array, b: Array, n: Array) -> Array:
    """``WeightSquares`` in numbers."""
    return np.asarray(local_run(a, b, n).squares)


_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "power_near_one": power_near_one,
    "one_minus_power": one_minus_power,
    "binomial": binomial,
    "polygamma": polygamma,
    "weight_sum": weight_sum,
    "weight_squares": weight_squares,
}
"""Functions of compiled expressions beside those of numpy."""
_NAMES = {**vars(np), **_FUNCTIONS}
"""What compiled expressions may name."""


class _Printer(NumPyPrinter):  # type: ignore[misc]  # sympy carries no types
    """Prints what numpy does better than what sympy prints.

    ``minimum``: ``amin`` over a tuple does not broadcast. ``power_near_one``: (1 - x)**T loses the digits
    of a small x, and a large T makes that visible.
    """

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp.is_number or not (expr.base.is_Add and S.One in expr.base.args):
            return str(super()._print_Pow(expr, rational))
        return f"power_near_one({self._print(expr.base - 1)}, {self._print(expr.exp)})"

    def _print_Add(self, expr: Any, order: str | None = None) -> str:
        growth = complement_power(expr)
        if growth is None:
            return str(super()._print_Add(expr, order))
        return f"one_minus_power({self._print(growth.base - 1)}, {self._print(growth.exp)})"

    def _print_Min(self, expr: Any) -> str:
        return self._nested("numpy.minimum", expr)

    def _print_Max(self, expr: Any) -> str:
        return self._nested("numpy.maximum", expr)

    def _nested(self, function: str, expr: Any) -> str:
        name = self._module_format(function)
        parts: list[str] = [self._print(a) for a in expr.args]
        while len(parts) > 1:  # in pairs: the nesting that Python reads is limited
            pairs = [parts[k : k + 2] for k in range(0, len(parts), 2)]
            parts = [f"{name}({', '.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
        return parts[0]

    names: Mapping[Symbol, str]
    searches: Mapping[Threshold, str]

    def _print_Symbol(self, expr: Any) -> str:
        return self.names.get(expr) or str(super()._print_Symbol(expr))

    _print_Dummy = _print_Quantity = _print_Symbol  # Quantity is a class of sympy, too

    def _print_Threshold(self, expr: Any) -> str:
        return f"{self.searches[expr]}({', '.join(map(self._print, _symbols(expr)))})"

    def _print_binomial(self, expr: Any) -> str:
        return self._call("binomial", expr)

    def _print_polygamma(self, expr: Any) -> str:
        return self._call("polygamma", expr)

    def _print_WeightSum(self, expr: Any) -> str:
        return self._call("weight_sum", expr)

    def _print_WeightSquares(self, expr: Any) -> str:
        return self._call("weight_squares", expr)

    def _call(self, function: str, expr: Any) -> str:
        return f"{function}({', '.join(map(self._print, expr.args))})"


@lru_cache(maxsize=4096)
def _compiled_with_names(expr: Expr) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The symbols of an expression, and the expression as a function of them."""
    symbols = _symbols(expr)
    return tuple(s.name for s in symbols), _compiled(expr, symbols)


def _compiled(expr: Expr, symbols: tuple[Symbol, ...]) -> Callable[..., Any]:
    # Not by lambdify, which takes twice as long, and left alone imports scipy and all of numpy.
    printer = _Printer({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    printer.names = {symbol: f"_{k}" for k, symbol in enumerate(symbols)}
    printer.searches = {t: f"threshold_{k}" for k, t in enumerate(sorted(expr.atoms(Threshold), key=str))}
    searches = {name: _threshold_function(t) for t, name in printer.searches.items()}
    text = f"lambda {', '.join(printer.names.values())}: ({printer.doprint(expr)})"
    function: Callable[..., Any] = eval(text, {**_NAMES, **searches})
    return function


def _symbols(expr: Expr) -> tuple[Symbol, ...]:
    return tuple(sorted(expr.free_symbols, key=str))


def _threshold_function(threshold: Threshold) -> Callable[..., Array]:
    """A threshold as a function of its symbols."""
    excess = _compiled(threshold.excess, (threshold.bound, *_symbols(threshold)))

    def result(*values: Array) -> Array:
        return first_failure(lambda x: excess(x, *values), np.broadcast(*values).shape)

    return result
