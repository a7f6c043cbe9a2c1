"""Extremes of polynomials from roots, against dense grids and planted roots."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boundkit.simulation.problems.polynomial_roots import (
    excess,
    steepness,
    sublevel_points,
)

GRID = np.concatenate(
    [np.linspace(-12, 12, 40_001), np.geomspace(12, 1e4, 2000), -np.geomspace(12, 1e4, 2000)]
)
coefficients = st.lists(st.integers(-9, 9).map(lambda k: k / 2), min_size=1, max_size=6).map(np.array)


def largest_on_grid(a: np.ndarray, b: np.ndarray, slope: float) -> float:
    """sup of |a| - slope |b|, refined about the best points of the grid."""

    def f(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(np.polyval(a, x)) - slope * np.abs(np.polyval(b, x)))

    best = GRID[np.argsort(f(GRID))[-5:]]
    return max(float(f(best).max()), *(float(f(x + np.linspace(-1e-3, 1e-3, 4001)).max()) for x in best))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(a=coefficients, b=coefficients, slope=st.floats(0.05, 5))
@example(a=np.array([12.0, -6.0]), b=np.array([4.0, -12.0, 12.0, -4.0]), slope=1.0)  # b = 4 (x - 1)^3
@example(a=np.array([1.0, -2.0, 1.0]), b=np.array([1.0, 0.0, 0.0, 0.0]), slope=1.0)  # a = (x - 1)^2
@example(a=np.array([1.0, 0.0, 0.0]), b=np.array([1.0, 0.0, 0.0, 0.0, 0.0]), slope=1.0)
def test_excess_is_the_supremum(a: np.ndarray, b: np.ndarray, slope: float) -> None:
    found = excess(a, b, slope)
    top = len(np.trim_zeros(a, "f")) - len(np.trim_zeros(b, "f"))
    if np.isinf(found):
        assert top >= 0
        return
    seen = largest_on_grid(a, b, slope)
    scale = 1 + abs(found) + np.abs(a).max() + np.abs(b).max()
    assert seen <= found + 1e-9 * scale
    if top < 0 and abs(np.trim_zeros(b, "f")[0]) >= 0.5 and found < 1e3:  # so that the grid comes near
        assert seen >= found - 1e-4 * scale


def test_excess_where_the_leading_powers_meet() -> None:
    line, other = np.array([2.0, 3.0]), np.array([1.0, 5.0])
    assert excess(line, other, 1.9) == np.inf
    assert excess(line, other, 2.0) == pytest.approx(7.0)  # |2 x + 3| - |2 x + 10| far to the right of both
    assert excess(line, other, 3.0) == pytest.approx(7.0)  # at x = -5, where the other is 0
    assert excess(np.array([1.0, 0, 0]), other, 100.0) == np.inf
    assert excess(np.array([4.0]), other, 0.0) == 4.0
    assert excess(np.array([0.0]), other, 1.0) == pytest.approx(0.0)
    assert steepness([(line, other), (np.array([7.0]), other)]) == 2.0


def test_points_below_a_level_contain_the_ends_of_every_part() -> None:
    c = np.asarray(np.poly([-2.0, -1.0, 1.0, 3.0]), dtype=np.float64)  # two valleys below 0, parted by a hill
    points = sublevel_points(c, 0.0)
    for end in (-2.0, -1.0, 1.0, 3.0):
        assert np.abs(points - end).min() < 1e-9
    assert (np.polyval(c, points) <= 1e-8).all()
    inside = GRID[np.polyval(c, GRID) <= 0]
    slope = np.polyder(c)
    assert np.abs(np.polyval(slope, points)).max() >= np.abs(np.polyval(slope, inside)).max() - 1e-9
