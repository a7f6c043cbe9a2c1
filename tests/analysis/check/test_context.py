"""Random points at which a theorem applies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import Rational, sqrt

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.domain import at_least, at_most
from boundkit.algebra.notation import (
    WHOLE,
    C,
    L,
    T,
    availability,
    beta,
    eta,
    eta_s,
    gap,
    groups,
    m,
    mixing,
    mu,
    tau,
)
from boundkit.analysis.check import CheckResult, SingleCheck, check
from boundkit.analysis.check.context import admissible, condition_holds, exact
from boundkit.theorems import catalogue
from tests.analysis.check.planting import build
from tests.cases import each

SAMPLED = Term("initial gap", gap / (eta * T * C * m) * groups, "derived", because="made up here")
HARD: dict[str, dict[str, Any]] = {
    "many rounds": {"step_size": (at_least(T, 40000 * (beta**2 + 1) / availability**2), at_most(eta, 1 / L))},
    "a large server step": {"step_size": (at_least(eta_s**2 * availability * m, 1), at_least(eta_s, 1))},
    "steps of both ends": {
        "step_size": (
            at_most(eta_s * eta, (1 - sqrt(mixing)) * availability / (80 * L * tau * (1 + sqrt(mixing)))),
            at_most(eta, availability / (200 * L * tau)),
            at_least(eta_s, 1),
        )
    },
    "an order of letters": {"requires": (at_most(mu, L), at_least(m, 2))},
    "few clients in groups": {"terms": (SAMPLED,), "requires": (at_most(C, 1 / groups), at_least(groups, 2))},
    "a narrow window": {"step_size": (at_most(eta, 1 / L), at_least(eta, Rational(9, 10) / L))},
}


def theorem(name: str) -> Theorem:
    return build(**{"reductions": (), "limits": (), **HARD[name]})


@each("name", HARD)
def test_points_are_admissible(name: str) -> None:
    statement = theorem(name)
    for seed in range(6):
        point = admissible(statement, seed)
        assert set(point) == set(statement.quantities), seed
        assert all(condition_holds(c, point) for c in (*statement.requires, *statement.step_size)), seed
        for quantity, value in point.items():
            assert value.is_Rational
            assert quantity.domain.contains(float(value)), (seed, quantity)
        for product in WHOLE:
            if product.free_symbols <= set(point):
                assert exact(product, point) >= 1
                assert product.xreplace(point).is_Integer, (seed, product)


def test_an_infeasible_condition_is_named() -> None:
    with pytest.raises(
        BoundkitError, match=r"no values were found that satisfy every condition; .* is violated"
    ):
        admissible(build(requires=(at_least(tau, 3), at_most(tau, 2))), 0)


def test_exact_values_do_not_raise_fractions_to_the_millionth_power() -> None:
    point = {mu: Rational(1, 3), eta: Rational(1, 10**6), T: Rational(5 * 10**6)}
    value = exact((1 - mu * eta) ** T, point)
    assert float(value) == pytest.approx(float(np.exp(5e6 * np.log1p(-1e-6 / 3))), rel=1e-13)
    small = {**point, T: Rational(50)}
    assert exact((1 - mu * eta) ** T, small) == ((1 - Rational(1, 3 * 10**6)) ** 50).evalf(40)


GOOD = SingleCheck("signs", "pass", "no term is negative.")
BAD = SingleCheck("limits", "fail", "at tau = 1 nothing vanishes.")
NONE = SingleCheck("reductions", "not applicable", "it states none.")


def test_a_report_is_true_where_nothing_fails() -> None:
    assert CheckResult("x", (GOOD, NONE))
    assert not CheckResult("x", (GOOD, BAD))
    assert CheckResult("x", (GOOD, BAD)).failures == (BAD,)
    assert CheckResult("x", (GOOD, BAD)).named("limits") is BAD
    with pytest.raises(KeyError):
        CheckResult("x", (GOOD,)).named("limits")


def test_undetected_constants_are_named() -> None:
    """Without reductions every constant is free; fedavg's are tied to sgd's by a reduction at tau = 1."""
    theorems = catalogue()
    alone = check(theorems["sgd_nonconvex"], theorems)
    assert alone.undetected == tuple(term.label for term in theorems["sgd_nonconvex"].terms)
    assert (
        "a constant 10 times too small in the initial gap and stochastic noise terms would pass"
        in " ".join(alone.to_text().split())
    )
    tied = check(theorems["fedavg_nonconvex_partial"], theorems)
    assert tied.undetected == ("partial participation",)
    lower = check(theorems["clipped_minibatch_sgd_relaxed_smooth_lower"], theorems)
    assert "10 times too large" in lower.to_text()
    assert CheckResult("x", (GOOD, BAD), find_undetected=lambda: ("drift",)).undetected == ()
