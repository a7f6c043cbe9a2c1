"""Random points at which a theorem applies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import Eq, Rational, sqrt

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
from boundkit.analysis.check.context import admissible, exact, holds
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
        assert all(holds(c, point) for c in (*statement.requires, *statement.step_size)), seed
        for quantity, value in point.items():
            assert value.is_Rational
            assert quantity.domain.contains(float(value)), (seed, quantity)
        for product in WHOLE:
            if product.free_symbols <= set(point):
                assert exact(product, point) >= 1
                assert product.xreplace(point).is_Integer, (seed, product)


def test_seeds_give_other_points_and_the_same_again() -> None:
    statement = build()
    assert admissible(statement, 1) == admissible(statement, 1)
    assert admissible(statement, 1) != admissible(statement, 2)


def test_an_infeasible_condition_is_named() -> None:
    with pytest.raises(
        BoundkitError, match=r"no values were found that satisfy every condition; .* is violated"
    ):
        admissible(build(requires=(at_least(tau, 3), at_most(tau, 2))), 0)


def test_an_equation_is_no_condition() -> None:
    with pytest.raises(BoundkitError, match=r"eta.*is no inequality"):
        admissible(build(step_size=(Eq(eta, 1 / L, evaluate=False),)), 0)


def test_exact_values_do_not_raise_fractions_to_the_millionth_power() -> None:
    point = {mu: Rational(1, 3), eta: Rational(1, 10**6), T: Rational(5 * 10**6)}
    value = exact((1 - mu * eta) ** T, point)
    assert float(value) == pytest.approx(float(np.exp(5e6 * np.log1p(-1e-6 / 3))), rel=1e-13)
    small = {**point, T: Rational(50)}
    assert exact((1 - mu * eta) ** T, small) == ((1 - Rational(1, 3 * 10**6)) ** 50).evalf(40)
