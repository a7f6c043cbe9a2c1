"""A term as a sum of powers of one quantity, which is what tuning and rates are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sympy import Add, Expr, Mul, Rational, S, Symbol, expand_mul

from boundkit.algebra import BoundkitError, Term
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
    found: dict[Rational, Expr] = {}
    whole = monomial(expr, symbol)
    parts = [whole] if whole else [monomial(p, symbol) for p in Add.make_args(expand_mul(expr, deep=True))]
    for part in parts:
        if part is None:
            return None
        found[part[1]] = found.get(part[1], S.Zero) + part[0]
    return {power: found[power] for power in sorted(found)}


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
