"""Whether an expression is 0: by number where it is not, and by sympy where it is."""

from __future__ import annotations

import random

from sympy import Expr, Rational, Symbol, expand, simplify

from boundkit.algebra.quantity import Quantity

_NOTICEABLE = 1e-10


def vanishes(expr: Expr) -> bool:
    """Whether sympy finds that the expression is 0 for all values of its letters.

    One value at which it is not settles the matter, and costs a hundredth of what simplifying does.

    >>> from boundkit.algebra.notation import C, m
    >>> vanishes((1 - C) / C - 1 / C + 1), vanishes(1 - C), vanishes((C * m - m) / m + 1 - C)
    (True, False, True)
    """
    if expr.is_zero:
        return True
    value = _somewhere(expr)
    if value is not None and value > _NOTICEABLE:
        return False
    return bool(expand(expr) == 0 or simplify(expr) == 0)


def _somewhere(expr: Expr) -> float | None:
    """The absolute value at one point, the same every time; None where there is none."""
    chance = random.Random(0)
    point = {symbol: _value(symbol, chance) for symbol in sorted(expr.free_symbols, key=str)}
    value = abs(expr.xreplace(point).evalf(30))
    return float(value) if value.is_Float or value.is_Rational else None


def _value(symbol: Symbol, chance: random.Random) -> Rational:
    """A value in the domain of a quantity, away from its ends."""
    if isinstance(symbol, Quantity) and symbol.domain.whole:
        return Rational(int(symbol.domain.lower) + chance.randint(2, 9))
    inside = Rational(chance.randint(200, 800), 1000)
    if isinstance(symbol, Quantity) and symbol.domain.lower >= 1:
        return inside + Rational(symbol.domain.lower)
    return inside
