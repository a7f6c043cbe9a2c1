"""Expressions as numbers: what sympy's derivatives hold beside powers."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import Rational, S, Symbol, binomial

from boundkit.algebra.notation import L, eta, mu_prox, rho_momentum, tau
from boundkit.algebra.sums import WeightSquares, WeightSum
from boundkit.analysis.evaluate import Threshold, evaluate, first_failure, local_run
from boundkit.analysis.powers import leading_power
from tests.cases import each

n, k = Symbol("n", positive=True), Symbol("k", positive=True)


@each("symbol", [n, k])
def test_slopes_of_binomials_are_those_of_differences(symbol: Symbol) -> None:
    expr, at, h = binomial(n, k), {"n": 9.0, "k": 3.5}, 1e-5
    above, below = (evaluate(expr, at | {symbol.name: at[symbol.name] + s * h}) for s in (1, -1))
    assert float(evaluate(expr.diff(symbol), at)) == pytest.approx(float(above - below) / (2 * h), rel=1e-8)
    second = float(above - 2 * evaluate(expr, at) + below) / h**2
    assert float(evaluate(expr.diff(symbol, 2), at)) == pytest.approx(second, rel=1e-3)


@each("a", [0, 0.3, 1 - 1e-12, 1])
@each("b", [0, 0.3, 0.999, 1])
@each("n", [0, 1, 2, 31, 1000])
def test_doubling_keeps_the_digits(a: float, b: float, n: int) -> None:
    w, total, squares, power = Fraction(0), Fraction(0), Fraction(0), Fraction(1)
    x, y = Fraction(a), Fraction(b)
    if n > 100:  # fractions would grow too long
        x, y = Fraction(float(x)), Fraction(float(y))
        series, wf = [], 0.0
        for j in range(n):
            wf = a * wf + b**j
            series.append(wf)
        expected = math.fsum(series), math.fsum(s * s for s in series)
    else:
        for _ in range(n):
            w, power = x * w + power, power * y
            total, squares = total + w, squares + w * w
        expected = float(total), float(squares)
    found = local_run(a, b, n)
    assert float(found.weights) == pytest.approx(expected[0], rel=1e-12)
    assert float(found.squares) == pytest.approx(expected[1], rel=1e-12)


def test_arrays_broadcast_and_every_count_is_its_own() -> None:
    n = np.arange(40.0)
    found = local_run([[0.5], [1.0]], 0, n).weights
    assert found.shape == (2, 40)
    assert found[0] == pytest.approx(2 * (1 - 0.5**n), rel=1e-14)
    assert found[1] == pytest.approx(n, rel=1e-14)


def test_expressions_call_it() -> None:
    expr = 2 * WeightSquares(1, rho_momentum, tau) + WeightSum(1 - eta * mu_prox, 0, tau)
    found = evaluate(expr, {"rho_momentum": [0.0, 0.5], "tau": 2.0, "eta": 0.1, "mu_prox": 5.0})
    assert found == pytest.approx([2 * 2 + 1.5, 2 * (1 + 2.25) + 1.5], rel=1e-14)


@each(
    ("expr", "symbol", "to", "power"),
    [
        (WeightSum(1, rho_momentum, tau), tau, "infinity", 1),
        (WeightSum(1 - eta * mu_prox, 0, tau), tau, "infinity", 0),
        (WeightSum(1 - eta * mu_prox, 0, tau), eta, "zero", 0),
        (eta * WeightSquares(1 - eta * mu_prox, rho_momentum, tau), eta, "zero", 1),
        (WeightSum(1 - eta * mu_prox, 0, tau), eta, "infinity", None),
        (tau * WeightSum(1, rho_momentum, tau - 1), tau, "infinity", 2),
    ],
)
def test_growth_of_local_sums(expr: object, symbol: Symbol, to: str, power: int | None) -> None:
    assert leading_power(expr, symbol, to) == (None if power is None else S(power))  # type: ignore[arg-type]


@each("edge", [1e-30, 0.37, 3.0, 1e25])
def test_first_failure_is_found_to_all_digits(edge: float) -> None:
    assert float(first_failure(lambda x: x - edge, ())) == pytest.approx(edge, rel=1e-14)


def test_what_never_fails_has_no_threshold() -> None:
    found = first_failure(lambda x: np.minimum(x, 1) - np.array([0.5, 2.0]), (2,))
    assert found[0] == pytest.approx(0.5, rel=1e-14)
    assert np.isinf(found[1])


def test_what_has_no_value_counts_as_failed() -> None:
    assert float(first_failure(lambda x: np.where(x > 4, np.nan, -1), ())) == pytest.approx(4, rel=1e-14)


def test_threshold_is_an_expression_in_the_other_letters() -> None:
    limit = Threshold(2 * eta * L * WeightSum(1 - eta * mu_prox, 0, tau), S.One, eta)
    assert {s.name for s in limit.free_symbols} == {"L", "mu_prox", "tau"}
    assert str(limit).startswith("largest eta with")
    values: dict[str, Any] = {"L": np.array([1.0, 4.0]), "mu_prox": 1.0, "tau": 3.0}
    found = evaluate(limit, values)
    assert 2 * values["L"] * (1 - (1 - found) ** 3) == pytest.approx(1, rel=1e-12)
    assert evaluate(limit.subs(L, Rational(1, 10)), {"mu_prox": 1.0, "tau": 3.0}) > 1
