"""Echo weights, with and without a cap."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.echo_weights import Echo, capped_weights


def intervals(p: float, cap: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The values of min(S, K) with their probabilities; without a cap, truncated where the rest is 0."""
    most = int(40 / p) if cap is None else cap
    k = np.arange(1, most + 1, dtype=float)
    probability = p * (1 - p) ** (k - 1)
    probability[-1] += (1 - p) ** most
    return k, probability


def test_moments_are_those_of_a_truncated_geometric_distribution() -> None:
    for p in (1.0, 0.3, 0.02, 0.001):
        for cap in (None, 1, 3, 50, 1000):
            k, probability = intervals(p, cap)
            mean, square = k @ probability, k**2 @ probability
            echo, case = Echo(p, cap), f"p = {p}, cap = {cap}"
            assert echo.mean == pytest.approx(mean, rel=1e-10), case
            assert echo.square == pytest.approx(square, rel=1e-10), case
            assert echo.variance == pytest.approx(square - mean**2, rel=1e-8, abs=1e-6 * mean**2), case
            assert echo.weight == pytest.approx(p * mean, rel=1e-10), case
            assert echo.bias == pytest.approx(echo.weight - 1, abs=1e-15), case
            assert echo.second == pytest.approx(p * echo.square), case


def test_published_numbers() -> None:
    assert Echo(0.1, 50).mean == pytest.approx(9.9485, abs=5e-5)
    assert Echo(0.1, 50).variance == pytest.approx(84.90, abs=5e-3)
    assert Echo(0.02, 50).mean == pytest.approx(31.79, abs=5e-3)
    assert Echo(0.3, 3).mean == pytest.approx(2.19)
    assert Echo(0.3, 3).variance == pytest.approx(0.7539)
    assert Echo(0.02).mean == pytest.approx(50)


def test_objective_of_capped_weights() -> None:
    weights = capped_weights([0.9, 0.02], 50)
    assert weights.sum() == pytest.approx(1)
    assert weights[1] / weights[0] == pytest.approx(1 - 0.98**50)
    np.testing.assert_array_equal(capped_weights([0.9, 0.02], None), [0.5, 0.5])


def test_invalid_probabilities_and_caps_are_refused() -> None:
    for p, cap in ((0.0, None), (1.5, None), (0.5, 0)):
        with pytest.raises(BoundkitError, match="must be"):
            Echo(p, cap)
