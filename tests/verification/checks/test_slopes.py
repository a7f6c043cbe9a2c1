"""Slopes and error floors of single error sources, and the errors that they detect."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from sympy import Expr, Rational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, L, T, distance, eta, eta_s, m, mu, sigma, sigma_g, tau
from boundkit.theorems import theorem
from boundkit.verification.checks import Check
from boundkit.verification.checks.single_error_source import ISOLATED
from boundkit.verification.checks.slopes import Sweep, compare_slopes, error_floor_check, slope_checks
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times, with_term, without
from tests.verification.testable_theorems import FURTHER, statements

PARTIAL, FULL = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex")
STRONG, SGD = theorem("fedavg_strongly_convex_partial"), theorem("sgd_nonconvex")


@pytest.mark.parametrize("further", FURTHER)
def test_every_term_has_the_slope_of_its_leading_order_or_a_reason(further: bool) -> None:
    for name, statement in statements(further).items():
        checks, sweeps = slope_checks(statement)
        tested = [c for c in checks if c.name.startswith("slope") and c.outcome != "not tested"]
        for check in tested:
            assert check.outcome == "holds", (name, check)
            assert abs(check.numbers["measured"] - check.numbers["predicted"]) < 0.03, (name, check)
        assert len(sweeps) == len(tested)
        for label, term in statement.bound.terms.items():
            about = [c for c in checks if label in c.name]
            untested = [c for c in about if c.outcome == "not tested"]
            assert about, (name, label)
            assert untested == ([] if term.cause in ISOLATED else about), (name, label)
            assert all(len(c.sentence) > 20 for c in untested)


def test_measured_slopes_are_those_of_the_closed_form() -> None:
    """Noise of homogeneous clients at L = 1: eta sigma^2/(C m (2 - eta))."""
    _, sweeps = slope_checks(PARTIAL)
    sweep_of_noise = [s for s in sweeps if s.quantity == "eta" and np.allclose(s.predicted, s.at)]
    (noise,) = sweep_of_noise
    np.testing.assert_allclose(noise.measured, noise.at / (4 * (2 - noise.at)), rtol=1e-9)


DRIFT, ABSENT, NOISE, START = (
    PARTIAL.bound.terms[cause].expr
    for cause in ("client drift", "partial participation", "stochastic noise", "initial gap")
)
MISTAKES: dict[str, tuple[Theorem, str, Expr, str]] = {
    "tau too weak in the drift": (PARTIAL, "client drift", DRIFT / tau, "tau"),
    "tau too weak in the drift of full participation": (
        FULL,
        "client drift",
        12 * eta**2 * L**2 * (tau - 1) * sigma_g**2,
        "tau",
    ),
    "eta too strong in the drift": (PARTIAL, "client drift", DRIFT * eta * L, "eta"),
    "drift that many clients would share": (FULL, "client drift", DRIFT / m, "m"),
    "drift bought off by the server's step": (PARTIAL, "client drift", DRIFT / eta_s, "eta_s"),
    "participation without tau": (PARTIAL, "partial participation", ABSENT / tau, "tau"),
    "participation without eta_s": (PARTIAL, "partial participation", ABSENT / eta_s, "eta_s"),
    "participation with eta_s twice": (PARTIAL, "partial participation", ABSENT * eta_s, "eta_s"),
    "participation that falls with m twice": (PARTIAL, "partial participation", ABSENT / (m - 1), "m"),
    "participation without 1/C": (PARTIAL, "partial participation", ABSENT * C, "C"),
    "participation of higher order": (PARTIAL, "partial participation", ABSENT * eta * L, "eta"),
    "noise shared by all clients": (PARTIAL, "stochastic noise", NOISE * C, "C"),
    "noise shared twice": (PARTIAL, "stochastic noise", NOISE / m, "m"),
    "noise averaged over local steps": (PARTIAL, "stochastic noise", NOISE / tau, "tau"),
    "noise of higher order": (SGD, "stochastic noise", eta**2 * L**2 * sigma**2 / m, "eta"),
    "sigma_g for sigma": (PARTIAL, "stochastic noise", NOISE.subs(sigma, sigma_g), "eta"),
    "sigma for sigma_g in the drift": (PARTIAL, "client drift", DRIFT.subs(sigma_g, sigma), "eta"),
    "sigma for sigma_g in the participation": (
        PARTIAL,
        "partial participation",
        ABSENT.subs(sigma_g, sigma),
        "eta",
    ),
    "a start forgotten like 1/T^2": (PARTIAL, "initial gap", START / T, "T"),
    "a start that local steps pay for twice": (FULL, "initial gap", START / tau * eta_s, "tau"),
    "a start that steps do not slow down": (FULL, "initial gap", START * eta_s * eta * L, "eta"),
    "noise in a strongly convex bound without C": (
        STRONG,
        "stochastic noise",
        4 * eta_s * eta * sigma**2 / (mu * m),
        "C",
    ),
}


def mistakes_of_different_terms() -> Iterator[tuple[Theorem, list[str]]]:
    """Theorems, each with the mistakes that are planted in it: at most one in a term."""
    left = dict(MISTAKES)
    while left:
        (statement, *_) = next(iter(left.values()))
        by_label = {label: name for name, (of, label, *_) in left.items() if of is statement}
        names = list(by_label.values())
        wrong = statement
        for name in names:
            _, label, expr, _ = left.pop(name)
            wrong = with_term(wrong, label, expr)
        yield wrong, names


def test_wrong_exponents_are_detected_in_their_quantity() -> None:
    for wrong, names in mistakes_of_different_terms():
        violated = [c.name for c in slope_checks(wrong)[0] if c.outcome == "violated"]
        labels = [MISTAKES[name][1] for name in names]
        for name in names:
            _, label, _, quantity = MISTAKES[name]
            assert f"slope of {label} in {quantity}" in violated, name
        for check in violated:  # the other terms are unchanged
            assert any(label in check for label in labels), (check, names)
    statement, label, expr, quantity = MISTAKES["tau too weak in the drift"]
    verdict = verify(with_term(statement, label, expr))
    assert verdict.answer == "violated"
    assert f"slope of {label} in {quantity}" in verdict.reason


def test_terms_that_grow_faster_than_measured_are_slack_and_constants_have_no_effect() -> None:
    for label, factor in (
        ("client drift", tau),
        ("partial participation", 1 / C),
        ("stochastic noise", m),
        ("initial gap", tau),
    ):
        checks, _ = slope_checks(times(PARTIAL, label, factor))
        assert all(c.outcome != "violated" for c in checks)
        assert any("slack" in c.sentence for c in checks if label in c.name)
    checks, _ = slope_checks(times(PARTIAL, "client drift", Rational(1, 1000)))
    assert all(c.outcome != "violated" for c in checks)


def perturbed(wiggle: float, slope: float = 1.0) -> Check:
    """Measured as eta^slope, off by factors of exp(wiggle) one way and the other, for a term of eta."""
    at = np.array([1e-5, 3e-5, 1e-4, 3e-4, 1e-3])
    measured = at**slope * np.exp(wiggle * np.array([1.0, -1.0, 0.0, -1.0, 1.0]))
    return compare_slopes("noise", Sweep("eta", at, measured, at, at))


def test_an_interval_that_contains_the_next_exponent_is_inconclusive() -> None:
    assert perturbed(0.1).outcome == "holds"
    wide = perturbed(1.0)
    assert wide.numbers["margin"] > 0.5
    assert wide.outcome == "not tested"
    assert "an exponent that is 1/2 worse would also fit" in wide.sentence
    assert perturbed(0.1, slope=0.5).outcome == "violated"
    assert perturbed(1.0, slope=0.5).outcome == "not tested"  # off by less than its own interval
    assert perturbed(1.0, slope=3.0).outcome == "holds"  # slack by far, however wide


def decay_of(statement: Theorem) -> Check:
    return next(c for c in slope_checks(statement)[0] if c.name == "decay of initial gap in T")


def test_a_geometric_decay_has_a_rate() -> None:
    check = decay_of(STRONG)
    assert check.outcome == "holds"
    steps = float(Fraction(1, 1000) * 16)  # eta tau of the instance, mu = 0.2
    assert check.numbers["predicted"] == pytest.approx(np.log(1 - 0.2 * steps / 2), rel=1e-9)
    assert check.numbers["measured"] < check.numbers["predicted"]
    fast = (1 - 5 * mu * eta_s * eta * tau) ** T * distance**2
    assert decay_of(with_term(STRONG, "initial gap", fast)).outcome == "violated"


FLOORS = ("client drift", "partial participation", "stochastic noise")


@pytest.mark.parametrize("further", FURTHER)
def test_error_floors_hold_and_a_missing_term_is_detected(further: bool) -> None:
    for name, statement in statements(further).items():
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


def test_a_missing_term_violates_the_verdict_and_no_slope() -> None:
    assert all(c.outcome != "violated" for c in slope_checks(without(FULL, "stochastic noise"))[0])
    verdict = verify(without(PARTIAL, "partial participation"))
    assert verdict.answer == "violated"
    assert "floor: " in verdict.reason
