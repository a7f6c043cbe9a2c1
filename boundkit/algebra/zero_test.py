"""Test whether an expression is 0: numerically at one point, then symbolically."""

from __future__ import annotations

import random

from sympy import Expr, Rational, Symbol, expand, simplify

from boundkit.algebra.quantity import Quantity

_NOTICEABLE = 1e-10


def vanishes(expr: Expr) -> bool:
    """Whether the expression is 0 for all values of its symbols.

    A non-zero value at one point decides, at a hundredth of the cost of simplification.

    >>> from boundkit.algebra.notation import C, m
    >>> vanishes((1 - C) / C - 1 / C + 1), vanishes(1 - C), vanishes((C * m - m) / m + 1 - C)
    (True, False, True)
    """
    if expr.is_zero:
        return True
    value = _magnitude_at_a_point(expr)
    if value is not None and value > _NOTICEABLE:
        return False
    return bool(expand(expr) == 0 or simplify(expr) == 0)


def _magnitude_at_a_point(expr: Expr) -> float | None:
    """The absolute value at one point, the same every time; None where there is none."""
    rng = random.Random(0)
    point = {symbol: _value(symbol, rng) for symbol in sorted(expr.free_symbols, key=str)}
    value = abs(expr.xreplace(point).evalf(30))
    return float(value) if value.is_Float or value.is_Rational else None


def _value(symbol: Symbol, rng: random.Random) -> Rational:
    """A value in the domain of a quantity, away from its ends."""
    if isinstance(symbol, Quantity) and symbol.domain.whole:
        return Rational(int(symbol.domain.lower) + rng.randint(2, 9))
    inside = Rational(rng.randint(200, 800), 1000)
    if isinstance(symbol, Quantity) and symbol.domain.lower >= 1:
        return inside + Rational(symbol.domain.lower)
    return inside
