"""Signs and directions: what is shown is true at random points, and what is not true is not shown."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Expr, Ge, Le, Rational, log, sqrt

from boundkit.algebra.notation import C, L, T, eta, groups, m, mixing, mu, sigma, sigma_g, tau
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet, admissible_set, sample
from boundkit.analysis.sensitivity.change import direction
from boundkit.analysis.sensitivity.signs import sign
from tests.cases import each

LETTERS = (m, C, T, tau, eta, L, mu, sigma, sigma_g, groups, mixing)
REQUIRES = (Le(mu, L), Ge(m, 2 * groups), Le(C * groups, 1))
CONTRACTION = 1 - mu * eta * tau / 2


@pytest.fixture(scope="module")
def somewhere() -> AdmissibleSet:
    limits = (1 / (8 * L * tau),)
    points = sample(LETTERS, (*REQUIRES, Le(eta, limits[0])), eta, limits)
    assert points.size == 400
    return admissible_set(LETTERS, points, REQUIRES, eta, limits)


@each(
    ("expr", "expected"),
    [
        (tau - 1, 1),
        (1 - C, 1),
        (mu - L, -1),
        (m - groups, 1),
        (m - groups - 1, 1),
        (1 - C * groups, 1),
        (CONTRACTION, 1),
        (1 - CONTRACTION**T, 1),
        (1 - sqrt(mixing), 1),
        (log(T), 1),
        (log(CONTRACTION), -1),
        (tau**2 - 2 * tau + 1, 1),
        ((sigma + 1) ** 2 - 2 * sigma * (sigma + 1) + sigma**2, 1),
        (sigma * (1 - tau), -1),
        (tau - tau, 0),
        (sigma - sigma_g, None),
        (tau - 2, None),
        (m - 3 * groups, None),
        (sqrt(tau) - sqrt(T), None),
    ],
)
def test_signs_are_shown_where_they_are(expr: Expr, expected: int | None, somewhere: AdmissibleSet) -> None:
    assert sign(expr, somewhere) == expected


@each(
    ("expr", "quantity", "expected"),
    [
        ((1 - C) / (C * (m - 1)), C, "down"),
        ((1 - C) / (C * (m - 1)), m, "down"),
        ((tau - 1) / tau, tau, "up"),
        ((tau - 1) / tau**2, tau, None),
        (CONTRACTION**T, T, "down"),
        (CONTRACTION**T, tau, "down"),
        (CONTRACTION**T, L, "none"),
        (-sigma / m, m, "up"),
        (sqrt(sigma**2 + sigma_g**2), sigma, "up"),
        (log(T * m), T, "up"),
        (sigma - sigma_g * tau, tau, "down"),
        (tau * (1 - C), C, "down"),
    ],
)
def test_directions(expr: Expr, quantity: Expr, expected: str | None, somewhere: AdmissibleSet) -> None:
    assert direction(expr, quantity, somewhere) == expected


def test_a_direction_that_is_shown_is_seen_in_numbers(somewhere: AdmissibleSet) -> None:
    expr = Rational(3) * (tau - 1) * sigma**2 / (tau * m) + (1 - C) * sigma_g**2 * sqrt(tau) / C
    shown = {q: direction(expr, q, somewhere) for q in (tau, sigma, sigma_g, m, C)}
    assert shown == {tau: "up", sigma: "up", sigma_g: "up", m: "down", C: "down"}
    values = dict(somewhere.points.values)
    for quantity, way in shown.items():
        moved = {**values, quantity.name: values[quantity.name] * (1 - 1e-6 if quantity == C else 1 + 1e-6)}
        change = (evaluate(expr, moved) - evaluate(expr, values)) * (-1 if quantity == C else 1)
        assert np.all(change >= 0) if way == "up" else np.all(change <= 0)
        assert np.any(change != 0)


def test_a_sample_obeys_what_is_required_and_counts_are_whole(somewhere: AdmissibleSet) -> None:
    values = somewhere.points.values
    assert np.all(values["mu"] <= values["L"] * (1 + 1e-9))
    assert np.all(values["m"] >= 2 * values["groups"])
    assert np.allclose(values["C"] * values["m"], np.round(values["C"] * values["m"]))
    for name in ("m", "T", "tau", "groups"):
        assert np.array_equal(values[name], np.round(values[name]))
    assert np.all(values["eta"] <= 1 / (8 * values["L"] * values["tau"]) * (1 + 1e-9))
