"""Expressions as numbers: what sympy's derivatives hold beside powers."""

import pytest
from sympy import Symbol, binomial

from boundkit.analysis.evaluate import evaluate

n, k = Symbol("n", positive=True), Symbol("k", positive=True)


@pytest.mark.parametrize("symbol", [n, k])
def test_slopes_of_binomials_are_those_of_differences(symbol: Symbol) -> None:
    expr, at, h = binomial(n, k), {"n": 9.0, "k": 3.5}, 1e-5
    above, below = (evaluate(expr, at | {symbol.name: at[symbol.name] + s * h}) for s in (1, -1))
    assert float(evaluate(expr.diff(symbol), at)) == pytest.approx(float(above - below) / (2 * h), rel=1e-8)
    second = float(above - 2 * evaluate(expr, at) + below) / h**2
    assert float(evaluate(expr.diff(symbol, 2), at)) == pytest.approx(second, rel=1e-3)
