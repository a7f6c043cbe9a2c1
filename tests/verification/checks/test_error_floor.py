"""The check of error floors: exact limits of single error sources against the whole bound."""

import pytest
from sympy import Integer, Rational

from boundkit.algebra.notation import gap
from boundkit.theorems import theorem
from boundkit.verification.checks.error_floor import error_floor_check
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times, without
from tests.verification.testable_theorems import free_of_rules

PARTIAL, FULL = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")
FLOORS = ("client drift", "partial participation", "stochastic noise")


def test_error_floors_of_the_catalogue_hold_and_a_missing_term_is_detected() -> None:
    for name, statement in free_of_rules().items():
        check = error_floor_check(statement)
        assert check.outcome == "holds", name
        assert 1e-4 < check.numbers["largest_ratio"] <= 1, name
        for label, term in statement.bound.terms.items():
            covered = label == "client drift" and "partial participation" in statement.bound.terms
            if term.cause in FLOORS and not covered:  # the other term's sigma_g may cover a missing drift
                check = error_floor_check(without(statement, label))
                assert check.outcome == "violated", (name, label)
                assert f"{term.cause} alone" in check.sentence


def test_the_largest_ratio_is_that_of_the_noise() -> None:
    """Homogeneous clients at L = 1: eta sigma^2/(C m (2 - eta)) against 4 eta sigma^2/(C m): one eighth."""
    check = error_floor_check(PARTIAL)
    assert check.numbers["largest_ratio"] == pytest.approx(1 / 8, rel=1e-3)
    assert "stochastic noise alone" in check.sentence
    for factor, outcome in ((Rational(1, 7), "holds"), (Rational(1, 9), "violated")):
        assert error_floor_check(times(PARTIAL, "stochastic noise", factor)).outcome == outcome


def test_a_missing_drift_is_detected_under_full_participation() -> None:
    for statement in (PARTIAL, FULL):
        check = error_floor_check(without(statement, "client drift"))
        assert check.outcome == "violated"
        assert "client drift alone" in check.sentence


def test_a_missing_term_violates_the_verdict_and_no_slope() -> None:
    assert all(c.outcome != "violated" for c in slope_checks(without(FULL, "stochastic noise"))[0])
    verdict = verify(without(PARTIAL, "partial participation"))
    assert verdict.answer == "violated"
    assert "floor: " in verdict.reason


def test_a_bound_of_zero_has_no_finite_ratio() -> None:
    zero = without(FULL, "stochastic noise", "noise drift", "client drift")
    check = error_floor_check(times(zero, "initial gap", Integer(0) * gap))
    assert check.outcome == "violated"
    assert check.numbers["largest_ratio"] is None
