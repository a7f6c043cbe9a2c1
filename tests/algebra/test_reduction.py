from __future__ import annotations

import pytest
from sympy import Expr, Max, Rational, S, Symbol, exp, oo, sqrt

from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import C, L, T, beta, eta, eta_s, gap, m, mixing, mu, sigma, sigma_g, tau
from boundkit.algebra.reduction import Limit, Reduction, check_values, computed_limits, vanishes
from boundkit.algebra.term import Term
from tests.cases import each


def terms(**expressions: Expr) -> dict[str, Term]:
    return {
        label: Term("client drift", expr, "derived", "test", label=label)
        for label, expr in expressions.items()
    }


OURS = terms(
    gap=4 * gap / (eta * tau * T), noise=4 * eta * L * sigma**2 / (C * m), drift=eta**2 * (tau - 1) * sigma**2
)
THEIRS = terms(gap=2 * gap / (eta * T), noise=eta * L * sigma**2 / m)


def test_right_factors_leave_nothing_over() -> None:
    leftover = Reduction("x", {tau: 1, C: 1}, {"gap": 2, "noise": 4}).check(OURS, THEIRS)
    assert not leftover
    assert str(leftover) == "nothing left over"


def test_wrong_factor_is_caught_and_what_is_left_is_named() -> None:
    leftover = Reduction("x", {tau: 1, C: 1}, {"gap": 2, "noise": 3}).check(OURS, THEIRS)
    assert leftover
    assert leftover.terms == {"noise": eta * L * sigma**2 / m}
    assert str(leftover) == "noise: L*eta*sigma**2/m"


def test_term_that_stays_must_be_named_in_leaves() -> None:
    factors = {"gap": 2 / tau, "noise": 4 / C}
    assert set(Reduction("x", {}, factors).check(OURS, THEIRS).terms) == {"drift"}
    assert not Reduction("x", {}, factors, leaves=("drift",)).check(OURS, THEIRS)


def test_term_that_we_lack_is_left_over_with_a_minus() -> None:
    leftover = Reduction("x", {}).check(terms(gap=gap), terms(gap=gap, noise=L * sigma**2))
    assert leftover.terms == {"noise": -L * sigma**2}


def test_substitution_is_simultaneous() -> None:
    swapped = Reduction("x", {sigma: sigma_g, sigma_g: sigma}).check(
        terms(a=sigma + 2 * sigma_g), terms(a=sigma + 2 * sigma_g)
    )
    assert not swapped  # both sides are read at the same point
    assert Reduction("x", {m: C * m, C: 1}).check(terms(a=C * m), terms(a=C * m)).terms == {}


def test_point_where_a_term_divides_by_zero_is_refused_not_compared() -> None:
    sampled = terms(a=sigma_g**2 * (1 - C) / (m - 1))
    for check in (Reduction("x", {m: 1}, holds=False), Reduction("x", {m: 1, C: 1}, holds=False)):
        with pytest.raises(BoundkitError, match=r"has no value at m = 1.*divides by zero"):
            check.check(sampled, sampled)
    with pytest.raises(BoundkitError, match="divides by zero"):
        Limit({m: 1}, ("a",)).check(sampled)


def test_limit_names_what_should_vanish_and_does_not_and_the_other_way_round() -> None:
    assert not Limit({tau: 1}, ("drift",)).check(OURS)
    assert Limit({tau: 1}, ("drift", "gap")).check(OURS).terms == {"gap": 4 * gap / (T * eta)}
    assert Limit({sigma: 0}, ("noise",)).check(OURS).terms == {"drift": 0}
    assert Limit({tau: 1}, ()).check(OURS).terms == {"drift": 0}


def test_limit_sees_a_zero_that_is_not_written_as_one() -> None:
    hidden = terms(a=((tau + 1) ** 2 - tau**2 - 2 * tau - C) * gap)
    assert not Limit({C: 1}, ("a",)).check(hidden)


def test_value_must_carry_the_unit_of_its_quantity() -> None:
    check_values({sigma: 0, T: oo, eta: 1 / (L * tau), eta_s: 1, m: C * m, sigma_g: sigma})
    with pytest.raises(DimensionError, match=r"eta has dimension \[x\]\^2/\[F\].*value 1.*loses its unit"):
        check_values({eta: 1})
    with pytest.raises(DimensionError, match="L has dimension"):
        check_values({L: Rational(1, 2)})


def test_limits_are_computed_at_the_ends_of_domains() -> None:
    terms = {
        "drift": Term("client drift", (tau - 1) * sigma_g**2, "derived", "r"),
        "noise": Term("stochastic noise", sigma**2 / (m - 1), "derived", "r"),
        "nothing": Term("noise drift", S.Zero, "derived", "r"),
    }
    found = computed_limits(terms, (m, tau, sigma, sigma_g, T))
    assert [(dict(k.when), k.removes) for k in found] == [
        ({tau: 1}, ("drift",)),
        ({sigma: 0}, ("noise",)),
        ({sigma_g: 0}, ("drift",)),
    ]  # no term has a value at m = 1


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
