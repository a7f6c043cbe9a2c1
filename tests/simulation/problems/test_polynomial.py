"""Polynomial problems: constants are attained, properties by hand."""

import numpy as np
import pytest

from boundkit.simulation.problems import Polynomial
from tests.cases import each

X = np.linspace(-12, 12, 120_001)[:, None]


def on_the_grid(problem: Polynomial) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives of clients and mean, (N, m + 1)."""
    rows = [*problem.coefficients, problem.p @ problem.coefficients]
    return (
        np.stack([np.polyval(np.polyder(c), X[:, 0]) for c in rows], axis=1),
        np.stack([np.polyval(np.polyder(c, 2), X[:, 0]) for c in rows], axis=1),
    )


@each(
    ("seed", "slopes"),
    [(0, {}), (1, {}), (2, {}), (3, {"L1": 0.3, "rho_zeta": 2.5}), (4, {"L1": 0.3, "rho_zeta": 2.5})],
)
def test_constants_are_attained_and_never_exceeded(seed: int, slopes: dict[str, float]) -> None:
    rng = np.random.default_rng(seed)
    rows = [[1.0, *rng.normal(size=4)], [0.5, *rng.normal(size=4)], [*rng.normal(size=3)]]
    problem = Polynomial(rows, rng.dirichlet(np.ones(3)), **slopes)
    x0 = rng.normal(size=1) * 2
    found = problem.constants(x0)
    first, second = on_the_grid(problem)
    L1, rho = found["L1"].value, found["rho_zeta"].value
    if slopes:
        assert (L1, rho) == (0.3, 2.5)
    relaxed = np.abs(second) - L1 * np.abs(first)
    assert found["L0"].value == pytest.approx(relaxed.max(), rel=1e-3, abs=5e-3)
    assert found["L0"].value >= relaxed.max() * (1 - 1e-12)
    apart = np.abs(first[:, :3] - first[:, 3:]) - rho * np.abs(first[:, 3:])
    assert found["zeta"].value == pytest.approx(apart.max(), rel=1e-3, abs=5e-3)
    assert found["zeta"].value >= apart.max() * (1 - 1e-12)
    loss = problem.observe(X)["loss"]
    low = loss <= float(problem.observe(x0)["loss"])
    assert found["grad_max"].value == pytest.approx(np.abs(first[low, 3]).max(), rel=1e-3, abs=5e-3)
    assert found["grad_max"].value >= np.abs(first[low, 3]).max() * (1 - 1e-12)
    between = (X[:, 0] >= X[low].min()) & (X[:, 0] <= X[low].max())
    assert found["L"].value == pytest.approx(np.abs(second[between, :3]).max(), rel=1e-3, abs=5e-3)
    assert found["gap"].value == pytest.approx(float(problem.observe(x0)["loss"]) - loss.min(), abs=1e-5)
    assert problem.optimum is not None
    assert problem.optimum[0] == pytest.approx(X[np.argmin(loss), 0], abs=5e-4)
    if "L_minus" in found:
        assert found["L_minus"].value == pytest.approx(max(-second[:, :3].min(), 0.0), rel=1e-3, abs=1e-3)
    assert {found[n].trust for n in ("L0", "L1", "zeta", "rho_zeta", "grad_max", "gap")} == {"exact"}
    assert found["L"].trust == "local"


def test_episodes_functions_are_the_published_ones() -> None:
    problem = Polynomial.episode(4.0)
    x = np.array([[0.0], [1.0], [2.5]])
    for column, h in ((0, -1), (1, 2)):
        wanted = x[:, 0] ** 4 - 3 * x[:, 0] ** 3 - 4 * h * x[:, 0] ** 2 + x[:, 0]
        np.testing.assert_allclose(problem.losses(x)[:, column], wanted, rtol=1e-14)
    np.testing.assert_allclose(
        problem.client_gradients(x)[1, :, 0], [4 - 9 + 8 + 1, 4 - 9 - 16 + 1], rtol=1e-14
    )
    assert problem.convexity()[0] is False


def test_quadratic_polynomials_have_their_constants_on_all_of_space() -> None:
    problem = Polynomial([[1.0, -2.0, 0.0], [1.0, 4.0, 1.0]])
    found = problem.constants(np.array([3.0]))
    assert found["L"].value == found["mu"].value == 2.0
    assert found["L"].trust == found["mu"].trust == "exact"
    assert "L1" not in found  # any L1 would do
    assert found["sigma_g"].value == pytest.approx(3.0)  # 2 x - 2 and 2 x + 4
    assert found["zeta"].value == pytest.approx(3.0)
    assert found["rho_zeta"].value == 0.0
    assert problem.heterogeneity is not None
    assert problem.heterogeneity.value == pytest.approx(2.25)
    assert Polynomial([[1.0, 0.0, 0.0]], L1=0.5).constants(np.ones(1))["L0"].value == pytest.approx(2.0)


def test_strong_convexity_is_global_or_local() -> None:
    bowl = Polynomial([[1.0, 0.0, 1.0, 0.0, 0.0]]).constants(np.ones(1))  # x^4 + x^2
    assert bowl["mu"].value == pytest.approx(2.0)
    assert bowl["mu"].trust == "exact"
    flat = Polynomial([[1.0, 0.0, 0.0, 0.0, 0.0]])  # x^4
    assert "mu" not in flat.constants(np.ones(1))
    assert flat.convexity() == (True, "")
    tilted = Polynomial([[1.0, 0, 0, 0, 0], [1.0, 0, 0, -32.0, 0]])  # F' = 4 (x^3 - 4): not flat at x*
    assert "mu" not in tilted.constants(np.array([-3.0]))  # the start's level reaches to 0, where F'' = 0
    near = tilted.constants(np.array([1.7]))
    assert near["mu"].trust == "local"
    assert 0 < near["mu"].value <= 12 * 4 ** (2 / 3)


def test_the_loss_gap_is_accurate_near_the_optimum() -> None:
    problem = Polynomial.episode(2.0)
    centre = problem.centre[0]
    bend = np.polyval(np.polyder(problem.mean, 2), centre)
    for u in (1e-4, 1e-8, 1e-12):
        # u^2 F''/2, up to the third order, and up to the rounding of centre + u
        assert float(problem.observe(np.array([centre + u]))["loss_gap"]) == pytest.approx(
            bend * u * u / 2, rel=10 * u + 1e-3
        )


def test_two_minima_have_no_optimum_and_unbounded_losses_no_gap() -> None:
    double = Polynomial([[1.0, 0.0, -2.0, 0.0, 0.0]])
    assert double.optimum is None
    found = double.constants(np.array([2.0]))
    assert "distance" not in found
    assert found["gap"].value == pytest.approx(9.0)
    assert double.minima == pytest.approx([-1.0])
    falling = Polynomial([[1.0, 0.0, 0.0, 0.0]])
    assert falling.minima is None
    assert falling.infimum is None
    assert falling.heterogeneity is None
    assert "gap" not in falling.constants(np.ones(1))
    assert falling.convexity()[0] is False


def test_leading_powers_may_cancel_in_the_mean() -> None:
    problem = Polynomial([[0.3, 0, 0.1, 0, 0], [-0.1, 0, 0.1, 0, 0]], [0.25, 0.75])
    assert problem.mean.tolist() == [0.0, 0.0, pytest.approx(0.1), 0.0, 0.0]
    assert problem.observe(np.array([1e3]))["loss_gap"] == pytest.approx(1e5)
    found = problem.constants(np.ones(1))
    assert "zeta" not in found  # the clients' gradients grow faster than their mean: no slope is enough
    assert found["L0"].value >= 0.2
