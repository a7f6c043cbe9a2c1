"""Terms as sums of powers of one quantity, and leading powers in limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from sympy import Add, Expr, Mul, Pow, Rational, S, Symbol, expand, expand_mul

from boundkit.algebra import BoundkitError, Term
from boundkit.algebra.sums import WeightSquares, WeightSum
from boundkit.analysis.evaluate import evaluate


@lru_cache(maxsize=1024)
def monomial(expr: Expr, symbol: Symbol) -> tuple[Expr, Rational] | None:
    """The coefficient and the power of coefficient * symbol**power; None for anything else.

    >>> from boundkit.algebra.notation import L, eta
    >>> monomial(4 * L / eta**2, eta)
    (4*L, -2)
    """
    coefficient, rest = expr.as_independent(symbol, as_Add=False)
    power: Rational = S.Zero
    for factor in Mul.make_args(rest):
        if factor == 1:
            continue
        base, exponent = factor.as_base_exp()
        if base != symbol or not exponent.is_Rational:
            return None
        power += exponent
    return coefficient, power


@lru_cache(maxsize=1024)
def powers(expr: Expr, symbol: Symbol) -> Mapping[Rational, Expr] | None:
    """The coefficient of each power of the symbol; None where the expression is no sum of powers.

    >>> from boundkit.algebra.notation import eta, tau
    >>> powers((1 + tau * eta) / eta, eta)
    {-1: 1, 0: tau}
    """
    result: dict[Rational, Expr] = {}
    whole = monomial(expr, symbol)
    parts = [whole] if whole else [monomial(p, symbol) for p in Add.make_args(expand_mul(expr, deep=True))]
    for part in parts:
        if part is None:
            return None
        result[part[1]] = result.get(part[1], S.Zero) + part[0]
    return {power: result[power] for power in sorted(result)}


@dataclass(frozen=True)
class PowerSum:
    """sum of coefficients[q] * x**q at given values of all else; zero coefficients are left out."""

    coefficients: dict[float, float]
    symbolic: dict[Rational, Expr]

    @property
    def falling(self) -> dict[float, float]:
        """The parts with negative powers."""
        return {q: c for q, c in self.coefficients.items() if q < 0}

    @property
    def growing(self) -> dict[float, float]:
        """The parts with positive powers."""
        return {q: c for q, c in self.coefficients.items() if q > 0}

    def slope(self, log_x: float) -> float:
        """The derivative by log x. For positive coefficients the sum is convex in log x, so this grows."""
        with np.errstate(over="ignore", under="ignore"):
            return float(sum(q * c * np.exp(q * log_x) for q, c in self.coefficients.items()))

    def closed_form(self) -> Expr | None:
        """The minimiser, where one falling power a x^-p meets one growing power b x^q."""
        active = {q: c for q, c in self.symbolic.items() if q != 0}
        if len(active) != 2 or len(self.falling) != 1:
            return None
        (down, a), (up, b) = sorted(active.items())
        return (-down * a / (up * b)) ** (1 / (up - down))


def power_sum(terms: Iterable[Term], symbol: Symbol, values: Mapping[str, float]) -> PowerSum | None:
    """The terms together as powers of the symbol, those that vanish at the values left out.

    None where some term is no sum of powers, or the coefficient of a power other than 0 is negative; a
    negative constant moves no minimum and is left out. Raises BoundkitError where a coefficient is too
    large for a number.
    """
    numbers: dict[float, float] = {}
    symbolic: dict[Rational, Expr] = {}
    for term in terms:
        parts = powers(term.expr, symbol)
        if parts is None:
            return None
        for power, coefficient in parts.items():
            number = float(evaluate(coefficient, values))
            if not number < np.inf:
                raise BoundkitError(f"the term {term.label!r} is too large for a number at these values.")
            if number < 0 and power != 0:
                return None
            if number > 0:
                numbers[float(power)] = numbers.get(float(power), 0.0) + number
                symbolic[power] = symbolic.get(power, S.Zero) + coefficient
    return PowerSum(numbers, symbolic)


EXPONENTIAL = "exponential"
"""In place of a power where an expression falls or grows faster than any."""


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
        return _leading_product([leading_power(factor, symbol, to) for factor in expr.args])
    if isinstance(expr, Pow):
        if not expr.exp.is_Rational:
            return _leading_open_power(expr, symbol, to)
        base = leading_power(expr.base, symbol, to)
        return base * expr.exp if isinstance(base, Rational) else base
    if isinstance(expr, (WeightSum, WeightSquares)):
        return _local_sum(expr, symbol, to)
    if isinstance(expr, Add):
        parts = Add.make_args(expand(expr))
        return _leading([leading_power(part, symbol, to) for part in parts], to)
    return None


def _leading_open_power(expr: Expr, symbol: Symbol, to: Literal["infinity", "zero"]) -> Rational | str | None:
    """base**exponent = exp(exponent log base), where log base is like base - 1 once base is near 1.

    (1 - c)**T is exponential in T, but (1 - c/T)**T tends to exp(-c), which is the power 0.
    """
    offset, exponent = leading_power(expr.base - 1, symbol, to), leading_power(expr.exp, symbol, to)
    if not isinstance(offset, Rational) or not isinstance(exponent, Rational):
        return None if None in (offset, exponent) else EXPONENTIAL
    sign = 1 if to == "infinity" else -1
    near_one = sign * offset < 0
    return S.Zero if near_one and sign * (offset + exponent) <= 0 else EXPONENTIAL


def _local_sum(expr: Expr, symbol: Symbol, to: Literal["infinity", "zero"]) -> Rational | str | None:
    """A sum over n local steps: like n where its summands have a positive limit, else bounded."""
    a, b, n = expr.args
    steps = leading_power(n, symbol, to)
    if symbol in a.free_symbols or symbol in b.free_symbols:
        rests = all(
            leading_power(1 - x, symbol, to) == (1 if to == "zero" else -1) or symbol not in x.free_symbols
            for x in (a, b)
        )
        return S.Zero if rests and steps == 0 else None
    return steps if a == 1 or to == "zero" else S.Zero


def _leading_product(parts: list[Rational | str | None]) -> Rational | str | None:
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
