"""Echo weights, capped and not."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.echo_weights import CAPS, RARE, Echo, capped_weights, echoes


def intervals(p: float, cap: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The values of min(S, K) with their chances; without a cap up to where nothing is left."""
    most = int(40 / p) if cap is None else cap
    k = np.arange(1, most + 1, dtype=float)
    chance = p * (1 - p) ** (k - 1)
    chance[-1] += (1 - p) ** most
    return k, chance


@pytest.mark.parametrize("cap", [None, 1, 3, 50, 1000])
@pytest.mark.parametrize("p", [1.0, 0.3, 0.02, 0.001])
def test_moments_are_those_of_a_cut_geometric_law(p: float, cap: int | None) -> None:
    k, chance = intervals(p, cap)
    echo = Echo(p, cap)
    assert echo.mean == pytest.approx(k @ chance, rel=1e-10)
    assert echo.square == pytest.approx(k**2 @ chance, rel=1e-10)
    assert echo.variance == pytest.approx(
        k**2 @ chance - (k @ chance) ** 2, rel=1e-8, abs=1e-6 * echo.mean**2
    )
    assert echo.weight == pytest.approx(p * (k @ chance), rel=1e-10)
    assert echo.bias == pytest.approx(echo.weight - 1, abs=1e-15)
    assert echo.second == pytest.approx(p * echo.square)


def test_published_numbers() -> None:
    assert Echo(0.1, 50).mean == pytest.approx(9.9485, abs=5e-5)
    assert Echo(0.1, 50).variance == pytest.approx(84.90, abs=5e-3)
    assert Echo(0.02, 50).mean == pytest.approx(31.79, abs=5e-3)
    assert Echo(0.3, 3).mean == pytest.approx(2.19)
    assert Echo(0.3, 3).variance == pytest.approx(0.7539)
    assert Echo(0.02).mean == pytest.approx(50)


def test_drawn_intervals_agree() -> None:
    rng = np.random.default_rng(0)
    cut = np.minimum(rng.geometric(0.02, 100_000), 50)
    echo = Echo(0.02, 50)
    assert abs(cut.mean() - echo.mean) < 5 * (echo.variance / 1e5) ** 0.5
    assert abs((cut**2).mean() - echo.square) < 5 * (np.var(cut**2) / 1e5) ** 0.5


def test_rare_clients_lose_their_weight_to_a_cap() -> None:
    rows = echoes()
    assert len(rows) == len(RARE) * len(CAPS)
    found = {(row["chance"], row["cap"]): row for row in rows}
    assert found[0.0001, None]["mean"] == pytest.approx(10_000)
    assert found[0.0001, None]["weight"] == 1
    assert found[0.0001, 50]["weight"] == pytest.approx(0.00499, abs=5e-6)
    assert found[0.01, 1000]["bias"] == pytest.approx(-((0.99) ** 1000))
    for p in RARE:
        seconds = [found[p, cap]["second"] or 0.0 for cap in (10, 50, 100, 1000, 10000, None)]
        assert seconds == sorted(seconds)  # what a cap costs in weight it saves in variance


def test_the_objective_of_capped_echoes() -> None:
    found = capped_weights([0.9, 0.02], 50)
    assert found.sum() == pytest.approx(1)
    assert found[1] / found[0] == pytest.approx(1 - 0.98**50)
    np.testing.assert_array_equal(capped_weights([0.9, 0.02], None), [0.5, 0.5])


@pytest.mark.parametrize(("p", "cap"), [(0.0, None), (1.5, None), (0.5, 0)])
def test_what_is_no_echo_is_refused(p: float, cap: int | None) -> None:
    with pytest.raises(BoundkitError, match="must be"):
        Echo(p, cap)
