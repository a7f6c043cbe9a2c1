"""Selection probability of a rank, against the enumeration of all sequences of candidates."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.selection import Strategy
from boundkit.simulation.selection.strategy import race_shares, rank_shares
from tests.cases import each
from tests.simulation.selection import brute

SIZES = [(1, 1, 1), (2, 1, 1), (3, 1, 2), (5, 2, 3), (6, 1, 5), (6, 3, 4), (7, 2, 4), (6, 6, 6)]


@each(("clients", "count", "candidates"), SIZES)
def test_equal_probabilities(clients: int, count: int, candidates: int) -> None:
    expected = brute.shares(np.full(clients, 0.25), list(range(clients)), count, candidates)
    np.testing.assert_allclose(rank_shares(clients, count, candidates), expected, rtol=0, atol=1e-16)
    raced = race_shares(np.full((1, clients), 1 / clients), count, candidates)[0]
    np.testing.assert_allclose(raced, expected, rtol=0, atol=1e-14)


@each(("clients", "count", "candidates"), SIZES)
def test_unequal_probabilities(clients: int, count: int, candidates: int) -> None:
    rng = np.random.default_rng(clients)
    c = np.exp((6.0 if candidates == count + 1 else 2.0) * rng.standard_normal(clients))
    c /= c.sum()
    order = rng.permutation(clients)
    found = Strategy(count, candidates).shares(c, order[None])[0]
    np.testing.assert_allclose(found, brute.shares(c, order.tolist(), count, candidates), rtol=0, atol=1e-14)


@each(("clients", "count", "candidates"), [(30, 3, 6), (30, 3, 15), (100, 10, 50)])
def test_many_clients_by_both_formulas(clients: int, count: int, candidates: int) -> None:
    raced = race_shares(np.full((1, clients), 1 / clients), count, candidates)[0]
    np.testing.assert_allclose(raced, rank_shares(clients, count, candidates), rtol=0, atol=1e-14)
    assert raced.sum() == pytest.approx(1, abs=1e-14)


@each("strategy", [Strategy(2), Strategy(2, 2), Strategy(3, replacement=True)])
def test_random_selection_does_not_depend_on_losses(strategy: Strategy) -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4])
    orders = np.array([[0, 1, 2, 3], [3, 1, 0, 2]])
    first, second = strategy.shares(p, orders)
    np.testing.assert_array_equal(first, second)
    expected = p if strategy.replacement else brute.shares(p, [0, 1, 2, 3], 2, 2)
    np.testing.assert_allclose(first, expected, atol=1e-14)


@each(
    ("fields", "said"),
    [
        ({"count": 0}, "count must be a whole number from 1, but it is 0"),
        ({"count": True}, "count must be a whole number"),
        ({"count": 2, "candidates": 1}, "at least count = 2 are needed"),
        ({"count": 2, "candidates": 3, "replacement": True}, "draws with replacement have no candidates"),
    ],
)
def test_invalid_strategies(fields: dict[str, int], said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        Strategy(**fields)  # type: ignore[arg-type]


def test_more_candidates_than_eligible_clients() -> None:
    with pytest.raises(BoundkitError, match="3 candidates were requested, but only 2 clients have a"):
        Strategy(1, 3).shares(np.array([0.5, 0.0, 0.5]), np.array([[0, 1, 2]]))


def test_probabilities_of_different_magnitude() -> None:
    c = np.array([0.75, 1e-150, 1e-100, 0.25])
    found = race_shares(c[None], 2, 3)[0]
    np.testing.assert_allclose(found, brute.shares(c, [0, 1, 2, 3], 2, 3), rtol=0, atol=1e-14)
    with pytest.raises(BoundkitError, match="the sampling probability 1e-300"):
        race_shares(np.array([[1.0, 1e-250, 1e-300, 0.5]]), 1, 3)
