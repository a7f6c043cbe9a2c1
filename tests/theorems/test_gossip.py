"""The step of gossip_local_sgd_nonconvex on the product of noise and gradients."""

import numpy as np
import pytest


@pytest.mark.parametrize("tau", [1, 2, 3, 8, 200])
def test_the_weights_of_noise_and_gradients_are_at_most_their_bound(tau: int) -> None:
    for a in (*np.linspace(0.0, 0.999, 100), 0.99999):
        g, j = tau * a**2 / (1 - a**2), np.arange(tau)
        most = tau * a / (1 - a) + np.sqrt(tau * (tau - 1) / 2)
        mean = ((g + tau - 1 - j) ** 2 * (g + j)).mean()
        m = tau - 1
        by_powers = g**3 + 1.5 * m * g**2 + m * (4 * m - 1) * g / 6 + m**2 * (m - 1) / 12
        assert mean == pytest.approx(by_powers, rel=1e-9)
        assert mean <= most**2 * (g / 4 + m / 6) * (1 + 1e-9)


@pytest.mark.parametrize(("a", "tau"), [(0.0, 4), (0.6, 3)])
def test_later_spreads_of_a_step_sum_to_their_weight(a: float, tau: int) -> None:
    """R_j: a^2 for every exchange between a step and the spread, over all later spreads."""
    for j in range(tau):
        later = sum(a ** (2 * ((k + j + 1) // tau)) for k in range(200 * tau))
        assert later == pytest.approx(tau * a**2 / (1 - a**2) + tau - 1 - j, rel=1e-9)
