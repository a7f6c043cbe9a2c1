"""The steps of the proofs of accelerated local SGD that a certificate does not hold."""

import numpy as np
import pytest

from boundkit.attack.infinite_clients import PiecewiseLoss


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_the_distance_of_local_models_costs_at_most_its_lemma(mu: float) -> None:
    """Step (i): on random convex losses, at random local models and any w."""
    rng, least = np.random.default_rng(0), np.inf
    for _ in range(2000):
        knots = np.cumsum(rng.exponential(size=4))
        slopes = rng.choice([mu, 1.0], 3)
        f = PiecewiseLoss(tuple(knots), tuple(np.cumsum([-1, *slopes * np.diff(knots)])), 1.0, 1.0)
        x, w = rng.normal(3, 2, 5), rng.normal(3, 3)
        mean = x.mean()
        g, at_mean = f.gradient(x), float(f.gradient(np.array(mean)))
        h, c, v = g.mean(), ((g - g.mean()) * (x - mean)).mean(), ((g - g.mean()) ** 2).mean()
        e, s = c - v, (h - at_mean) ** 2
        change = float(f.loss(np.array(mean)) - f.loss(np.array(w))) + mu / 2 * (mean - w) ** 2
        least = min(least, h * (mean - w) - change + e - s / 2, e - s)
        assert c * c <= v * ((x - mean) ** 2).mean() * (1 + 1e-12)
    assert -1e-9 < least < 1e-2


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.9])
@pytest.mark.parametrize("tau", [2, 3, 10, 200])
@pytest.mark.parametrize("a", [0.01, 0.25, 0.5])
def test_the_weights_of_the_distances_sum_to_a_sixth(a: float, tau: int, part: float) -> None:
    """Step (iii): the least weights, and those of the proof, with r before each squared distance."""
    r, b = 1 - part * a, (1 - part) * a  # 1 - eta mu and eta (L - mu) at a = eta L
    n = np.cumsum(r ** np.arange(tau))
    rho = n[1:] ** 2 / (n[1:] * (2 - a) - 1)
    w = np.maximum(1, (1 + b * rho) / 2)
    most = max(1, 0.5 + b * (tau + 1) / 3)
    assert (w <= most * (1 + 1e-12)).all()
    j = np.arange(tau)
    proved = most * j / (2 * (2 - b + b * j))
    least = np.zeros(tau)
    for i in range(tau - 1):
        weight = w[tau - 2 - i] * r**i
        left = max(weight - 2 * b * r * least[i], 0.0)
        least[i + 1] = r * r * least[i] + left**2 / (4 * (weight - b * b * least[i]))
    assert (least <= r ** (j - 1.0) * proved * (1 + 1e-9)).all()
    steps = (r**j).sum()
    assert (1 - part) * (r ** (j - 1.0) * proved).sum() <= steps * (tau - 1) / 6 * (1 + 1e-12)
