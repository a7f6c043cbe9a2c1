from __future__ import annotations

import pytest
from sympy import Rational, simplify, sqrt, symbols

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, L, T, gap, m, sigma, sigma_g, tau
from boundkit.analysis.powers import EXPONENTIAL, leading_power
from boundkit.analysis.rate import rate
from boundkit.theorems import theorem
from tests.cases import each

HALF = Rational(1, 2)


def test_one_step_size_has_a_drift_that_grows_with_the_clients() -> None:
    answer = rate(theorem("fedavg_nonconvex"), eta="sqrt(m/(tau*T))/L")
    root = sqrt(m * tau * T)
    expected = {
        "initial gap": 4 * L * gap / root,
        "stochastic noise": 4 * sigma**2 / root,
        "noise drift": 6 * m * (tau - 1) * sigma**2 / (tau * T),
        "client drift": 12 * m * (tau - 1) * sigma_g**2 / T,
    }
    for label, expr in expected.items():
        assert simplify(answer.terms[label].expr - expr) == 0
    assert [c.allowed for c in answer.conditions] == ["T >= 4*m*tau", "T >= 12*m*(tau - 1)"]
    assert answer.slowest == ("initial gap", "stochastic noise")
    assert answer.terms["client drift"].powers == {"T": -1, "tau": 1, "m": 1}


def test_two_step_sizes_have_the_three_term_rate() -> None:
    answer = rate(theorem("fedavg_nonconvex_partial"), eta="1/(sqrt(T)*tau*L)", eta_s="sqrt(tau*C*m)")
    M = C * m
    expected = {
        "initial gap": 4 * L * gap / sqrt(M * tau * T),
        "stochastic noise": 4 * sigma**2 / sqrt(M * tau * T),
        "noise drift": 8 * (tau - 1) * sigma**2 / (tau**2 * T),
        "partial participation": 12 * (1 - C) * m / (m - 1) * sigma_g**2 * sqrt(tau / (M * T)),
        "client drift": 32 * (tau - 1) * sigma_g**2 / (tau * T),
    }
    for label, expr in expected.items():
        assert simplify(answer.terms[label].expr - expr) == 0
    assert [c.allowed for c in answer.conditions] == ["T >= 64", "T >= 576*C*m*tau"]
    assert answer.terms["partial participation"].powers == {"T": -HALF, "tau": HALF, "m": -HALF, "C": -HALF}
    assert answer.terms["client drift"].powers == {"T": -1, "tau": 0, "m": 0, "C": 0}


def test_without_a_rule_the_step_keeps_its_powers() -> None:
    answer = rate(theorem("fedavg_nonconvex_partial"))
    assert answer.rules == {}
    assert answer.terms["client drift"].powers["eta"] == 2
    assert answer.terms["initial gap"].powers["eta_s"] == -1
    assert [c.allowed for c in answer.conditions] == [None, None]


def test_contraction_is_exponential_unless_the_step_falls_with_the_rounds() -> None:
    strongly = theorem("fedavg_strongly_convex_partial")
    assert rate(strongly).terms["initial gap"].powers["T"] == EXPONENTIAL
    assert "initial gap" not in rate(strongly).slowest
    # (1 - c/T)^T comes to rest at exp(-c): such a step never forgets the start.
    resting = rate(strongly, eta="1/(mu*tau*T)")
    assert resting.terms["initial gap"].powers["T"] == 0
    assert resting.slowest == ("initial gap",)
    assert rate(strongly, eta="1/(mu*tau*sqrt(T))").terms["initial gap"].powers["T"] == EXPONENTIAL


@each(
    ("rules", "sentence"),
    [
        ({"eta": "sqrt(m/(tau*T))"},
         r"sqrt\(m/\(tau\*T\)\) has dimension 1 \(no unit\), but eta needs \[x\]\^2/\[F\]; divide by L"),
        ({"eta": "L"}, r"has dimension \[F\]/\[x\]\^2, but eta needs \[x\]\^2/\[F\]\."),
        ({"eta": "1/L + 1"}, "adds unlike things"),
        ({"eta_s": "1/L"}, r"eta_s needs 1 \(no unit\); multiply by L"),
        ({"eta": "eta"}, "refers to itself"),
        ({"eta": "eta_s/L", "eta_s": "2"}, "refers to a step that a rule sets"),
        ({"eta": "0"}, "not above 0"),
        ({"eta": "-1/L"}, "not above 0"),
        ({"eta": 5}, "a rule is a formula"),
    ],
)  # fmt: skip
def test_a_rule_that_is_no_step(rules: dict[str, str], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        rate(theorem("fedavg_nonconvex_partial"), **rules)


def test_leading_powers() -> None:
    x, y = symbols("x y", positive=True)
    assert leading_power((x - 1) * x / (2 * x + y) ** 3, x, "infinity") == -1
    assert leading_power((x - 1) * x / (2 * x + y) ** 3, x, "zero") == 1
    assert leading_power((x + 1) ** 2 - x**2, x, "infinity") == 1
    assert leading_power(y, x, "infinity") == 0
    assert leading_power((1 - y) ** x, x, "infinity") == EXPONENTIAL
    assert leading_power(x * (1 - 1 / x**2) ** x, x, "infinity") == 1
    assert leading_power((1 - x * y) ** y, x, "zero") == 0
