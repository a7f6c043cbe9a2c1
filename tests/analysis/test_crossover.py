"""Crossovers by formula and bisection: crossings on a grid line, tangency, and sides equal up to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Expr, Float, Integer, Max, Rational

from boundkit.algebra.notation import L, eta, sigma, sigma_g
from boundkit.analysis.crossover import Window, bisect_branches, difference_sign, solve_equality

WINDOW = Window(sigma, sigma_g, np.linspace(0.0, 4.0, 5), np.linspace(1.0, 3.0, 5), {})


def found(left: Expr, right: Expr) -> list[tuple[float, bool]]:
    """Each branch of left = right in sigma: its place, and whether left is the larger beyond."""
    branches = bisect_branches(left, right, WINDOW, sigma)
    return [(float(np.nanmean(points[:, 0])), grows) for points, grows in branches]


def test_a_crossing_at_a_value_of_the_grid_itself_is_found() -> None:
    for place in (1.0, 2.0, 3.0, 1.7):
        assert place == 1.7 or place in WINDOW.along(sigma)
        for left, right, grows in ((sigma, Float(place), True), (Float(place), sigma, False)):
            ((at, told),) = found(left, right)
            assert at == pytest.approx(place, abs=1e-12)
            assert told == grows


def test_where_the_sides_only_touch_they_do_not_cross() -> None:
    assert found((sigma - 2) ** 2 + 1, 1 + 0 * sigma) == []


def test_sides_that_differ_by_rounding_alone_are_equal() -> None:
    """Equal up to sigma = 2, but for the order of one sum; beyond, the left side is larger."""
    left, right = Max(sigma, 2) * 0.1 + 0.2 * sigma_g + 0.3, 0.3 + 0.1 * 2 + sigma_g / 5
    assert found(left, right) == []
    ((at, grows),) = found(left + sigma / 10 - 0.1, right)
    assert at == pytest.approx(1, abs=1e-9)
    assert grows


def test_the_sign_of_a_difference_knows_what_is_no_number() -> None:
    inf, nan = np.inf, np.nan
    left, right = np.array([0.1 + 0.2, 1, inf, 1, nan, 0]), np.array([0.3, 2, 1, inf, 1, 0])
    np.testing.assert_array_equal(difference_sign(left, right), [0, -1, 1, -1, nan, 0])


def test_roots_of_a_quadratic_make_both_sides_equal() -> None:
    left, right = eta**2 * L**2 + eta * L, Integer(6)
    roots = solve_equality(left, right, eta)
    assert roots is not None
    assert sorted(root.subs(L, 2) for root in roots) == [Rational(-3, 2), 1]
