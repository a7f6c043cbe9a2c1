"""Moments of Scaffnew: they are those of its definition, and refute planted mistakes."""

from itertools import product

import numpy as np
import pytest

from boundkit.attack.exact_instances.exchange_moments import measure_exchange_moments, squared_errors
from boundkit.attack.mutation.generation import generate_mutants
from boundkit.attack.mutation.measurements import Measurements
from boundkit.theorems import theorem

NAME = "scaffnew_strongly_convex"


def enumerated(p: float, eta: float, curvatures: list[float], start: float, control: float, T: int) -> float:
    """Return the expected squared mean model over all coins, by the algorithm's definition."""
    m, c = len(curvatures), np.array(curvatures)
    errors = np.array([np.sqrt(m - 1), *[-1 / np.sqrt(m - 1)] * (m - 1)])
    slope = np.array([-1.0 * (m - 1), *[1.0] * (m - 1)])  # the gradients are c x + slope
    total = 0.0
    for coins in product((False, True), repeat=T):
        x, h, chance = np.full(m, start), slope + control * errors, 1.0
        for coin in coins:
            y = x - eta * (c * x + slope - h)
            x = np.full(m, y.mean()) if coin else y
            h = h + (p / eta) * (x - y)
            chance *= p if coin else 1 - p
        total += chance * x.mean() ** 2
    return total


@pytest.mark.parametrize(("start", "control"), [(1.0, 0.0), (0.0, 1.0)])
@pytest.mark.parametrize("clients", [2, 5])
def test_moments_are_those_of_the_definition(start: float, control: float, clients: int) -> None:
    p, eta, rounds = 0.3, 0.7, (1, 3, 6)
    moments = squared_errors(
        np.array([p]), np.array([eta]), np.array([[1.0, 0.2]]), np.array([clients]), start, control, False,
        rounds,
    )  # fmt: skip
    every = [1.0, *[0.2] * (clients - 1)]
    expected = [enumerated(p, eta, every, start, control, T) for T in rounds]
    np.testing.assert_allclose(np.concatenate(moments), expected, rtol=1e-12, atol=1e-30)


def test_noise_of_one_client_is_a_geometric_series() -> None:
    eta, c = np.array([0.5]), 0.4
    (moment,) = squared_errors(np.array([0.3]), eta, np.array([[c, c]]), np.array([3]), 0.0, 0.0, True, (7,))
    kept = (1 - eta * c) ** 2
    np.testing.assert_allclose(moment, eta**2 * (1 - kept**7) / (1 - kept), rtol=1e-12)


def test_they_refute_mistakes_and_no_true_bound() -> None:
    claimed = theorem(NAME)
    measurements = Measurements(claimed, tuple(measure_exchange_moments(claimed)))
    assert measurements.above() is None
    assert measurements.inside.all()
    every = {one.what: one for one in generate_mutants(claimed)}
    for what in (
        "start-up: 1/exchange for exchange^(-2)",
        "start-up: 1/2 for 1",
        "stochastic noise: 1/2 for 1 in 1 - Min(exchange^2, eta*mu*(2 - eta*mu))",
        "initial gap: exchange for exchange^2 in Min(exchange^2, eta*mu*(2 - eta*mu))",
    ):
        assert measurements.killer(every[what]) is not None
    right = "initial gap: exchange^3 for exchange^2 in Min(exchange^2, eta*mu*(2 - eta*mu))"
    assert measurements.killer(every[right]) is None


def test_others_have_none() -> None:
    assert not list(measure_exchange_moments(theorem("sgd_strongly_convex")))
