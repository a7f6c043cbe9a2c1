"""How fast an expression grows: its leading power as one quantity goes to infinity, or to 0."""

from __future__ import annotations

from typing import Literal

from sympy import Add, Expr, Mul, Pow, Rational, S, Symbol, expand

from boundkit.algebra.local_sums import WeightSquares, WeightSum

EXPONENTIAL = "exponential"
"""What stands in place of a power where an expression falls or grows faster than any."""


def leading_power(expr: Expr, symbol: Symbol, to: Literal["infinity", "zero"]) -> Rational | str | None:
    """The power p with expr ~ symbol**p; "exponential" where there is none; None where the rule is unknown.

    The parts of a sum are taken not to cancel after expansion, which is so for bounds, whose terms are
    positive.

    >>> from boundkit.algebra.notation import C, T, tau
    >>> leading_power((tau - 1) / (tau**2 * T), tau, "infinity")
    -1
    >>> leading_power((1 - C) / C, C, "zero")
    -1
    """
    if symbol not in expr.free_symbols:
        return S.Zero
    if expr == symbol:
        return S.One
    if isinstance(expr, Mul):
        return _product([leading_power(factor, symbol, to) for factor in expr.args])
    if isinstance(expr, Pow):
        if not expr.exp.is_Rational:
            return _open_power(expr, symbol, to)
        base = leading_power(expr.base, symbol, to)
        return base * expr.exp if isinstance(base, Rational) else base
    if isinstance(expr, (WeightSum, WeightSquares)):
        return _local_sum(expr, symbol, to)
    if isinstance(expr, Add):
        parts = Add.make_args(expand(expr))
        return _leading([leading_power(part, symbol, to) for part in parts], to)
    return None


def _open_power(expr: Expr, symbol: Symbol, to: Literal["infinity", "zero"]) -> Rational | str | None:
    """base**exponent = exp(exponent log base), where log base is like base - 1 once base is near 1.

    (1 - c)**T is exponential in T, but (1 - c/T)**T comes to rest at exp(-c), which is the power 0.
    """
    away, exponent = leading_power(expr.base - 1, symbol, to), leading_power(expr.exp, symbol, to)
    if not isinstance(away, Rational) or not isinstance(exponent, Rational):
        return None if None in (away, exponent) else EXPONENTIAL
    sign = 1 if to == "infinity" else -1
    near_one = sign * away < 0
    return S.Zero if near_one and sign * (away + exponent) <= 0 else EXPONENTIAL


def _local_sum(expr: Expr, symbol: Symbol, to: Literal["infinity", "zero"]) -> Rational | str | None:
    """A sum over n local steps: it grows as n where its summands come to rest, and rests where they die."""
    a, b, n = expr.args
    steps = leading_power(n, symbol, to)
    if symbol in a.free_symbols or symbol in b.free_symbols:
        rests = all(
            leading_power(1 - x, symbol, to) == (1 if to == "zero" else -1) or symbol not in x.free_symbols
            for x in (a, b)
        )
        return S.Zero if rests and steps == 0 else None
    return steps if a == 1 or to == "zero" else S.Zero


def _product(parts: list[Rational | str | None]) -> Rational | str | None:
    numbers = _numbers(parts)
    return Add(*numbers) if numbers is not None else _without_power(parts)


def _leading(parts: list[Rational | str | None], to: str) -> Rational | str | None:
    numbers = _numbers(parts)
    if numbers is None:
        return _without_power(parts)
    return max(numbers) if to == "infinity" else min(numbers)


def _numbers(parts: list[Rational | str | None]) -> list[Rational] | None:
    numbers = [p for p in parts if isinstance(p, Rational)]
    return numbers if len(numbers) == len(parts) else None


def _without_power(parts: list[Rational | str | None]) -> str | None:
    return None if None in parts else EXPONENTIAL
