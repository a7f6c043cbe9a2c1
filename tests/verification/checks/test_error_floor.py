"""The floor check: exact limits of single causes against the whole bound."""

import pytest
from sympy import Rational

from boundkit.algebra import Theorem
from boundkit.theorems import theorem
from boundkit.verification.checks.error_floor import error_floor_check
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times, without
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = free_of_rules()
PARTIAL, FULL = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")


@pytest.mark.parametrize("name", CATALOGUE)
def test_floors_of_the_catalogue_hold_and_are_not_empty(name: str) -> None:
    check = error_floor_check(CATALOGUE[name])
    assert check.outcome == "holds"
    assert 1e-4 < check.numbers["largest_ratio"] <= 1


def test_the_largest_ratio_is_that_of_the_noise() -> None:
    """Alike clients at L = 1: eta sigma^2/(C m (2 - eta)) against 4 eta sigma^2/(C m): one eighth."""
    check = error_floor_check(PARTIAL)
    assert check.numbers["largest_ratio"] == pytest.approx(1 / 8, rel=1e-3)
    assert "stochastic noise alone" in check.sentence


@pytest.mark.parametrize("statement", list(CATALOGUE.values()), ids=lambda t: t.name)
def test_a_term_that_is_missing_is_missed(statement: Theorem) -> None:
    for label, term in statement.bound.terms.items():
        if term.cause in ("client drift", "partial participation", "stochastic noise"):
            check = error_floor_check(without(statement, label))
            if label == "client drift" and "partial participation" in statement.bound.terms:
                continue  # the sigma_g of the other term may cover for it; see below
            assert check.outcome == "violated", label
            assert f"{term.cause} alone" in check.sentence


def test_slopes_do_not_see_a_term_that_is_missing() -> None:
    """There is nothing to ask; hence the floors."""
    assert all(c.outcome != "violated" for c in slope_checks(without(FULL, "stochastic noise"))[0])


def test_a_missing_drift_is_missed_where_everybody_comes() -> None:
    for statement in (PARTIAL, FULL):
        check = error_floor_check(without(statement, "client drift"))
        assert check.outcome == "violated"
        assert "client drift alone" in check.sentence


def test_a_missing_participation_term_makes_the_verdict() -> None:
    verdict = verify(without(PARTIAL, "partial participation"))
    assert verdict.answer == "violated"
    assert "floor: " in verdict.reason


def test_a_constant_that_is_too_small_is_caught() -> None:
    assert error_floor_check(times(PARTIAL, "stochastic noise", Rational(1, 7))).outcome == "holds"
    assert error_floor_check(times(PARTIAL, "stochastic noise", Rational(1, 9))).outcome == "violated"


def test_a_bound_of_zero_is_infinitely_wrong_and_still_json() -> None:
    from sympy import Integer

    from boundkit.algebra.notation import gap

    nothing = without(FULL, "stochastic noise", "noise drift", "client drift")
    nothing = times(nothing, "initial gap", Integer(0) * gap)
    check = error_floor_check(nothing)
    assert check.outcome == "violated"
    assert check.numbers["largest_ratio"] is None
