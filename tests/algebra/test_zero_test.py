from __future__ import annotations

from sympy import Expr, Max, Rational, S, Symbol, exp, sqrt

from boundkit.algebra.notation import C, L, T, beta, eta, m, mixing, mu, sigma, tau
from boundkit.algebra.zero_test import vanishes
from tests.cases import each


@each(
    "expr",
    [
        S.Zero,
        (tau - 1) ** 2 - tau**2 + 2 * tau - 1,
        1 / (tau * (tau - 1)) - 1 / (tau - 1) + 1 / tau,
        sqrt(tau) * sqrt(m) - sqrt(m * tau),
        (1 - sqrt(mixing)) * (1 + sqrt(mixing)) - 1 + mixing,
        (1 - mu * eta / 2) ** T - ((2 - mu * eta) / 2) ** T,
        sqrt(2) * sqrt(3) - sqrt(6),
        exp(2 * tau) - exp(tau) ** 2,
        (1 - C) * m / (m - 1) - (m - C * m) / (m - 1),
    ],
    ids=str,
)
def test_what_is_zero_everywhere_vanishes(expr: Expr) -> None:
    assert vanishes(expr)


@each(
    "expr",
    [
        tau - 1,
        1 - C,
        beta - 1,
        (tau - 1) * (tau - 2) * (tau - 3) * (tau - 4) * (tau - 5) * (tau - 6) * (tau - 7) * (tau - 8),
        sigma * Rational(1, 10**15),
        L * eta * Rational(1, 10**40) - L * eta * Rational(1, 10**41),
        Max(C, 2 * C - 1) - 2 * C + 1,
        Symbol("x"),
        sqrt(2) - Rational(141421356, 100000000),
    ],
    ids=str,
)
def test_what_is_somewhere_not_zero_does_not(expr: Expr) -> None:
    assert not vanishes(expr)
