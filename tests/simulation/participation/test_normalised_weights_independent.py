"""Moments of weights that are divided by what came, against the list of all subsets."""

import numpy as np
import pytest

from boundkit.simulation.participation import Independent
from boundkit.simulation.participation.normalised_weights import (
    averaging_matrix,
    independent_share_products,
    independent_shares,
    mean_share_pairs,
    plain_average_shares,
)


def listed(q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E of w_i/W, of w_i w_j/W^2, and of 1{i,j}/|A|."""
    m = len(q)
    first, second, met = np.zeros(m), np.zeros((m, m)), np.zeros((m, m))
    for chance, here in Independent(tuple(q.tolist())).enumerate():
        total = here @ w
        share = here * w / np.where(total > 0, total, 1)[:, None]
        first += chance @ share
        second += (share * chance[:, None]).T @ share
        met += (here * (chance / np.maximum(here.sum(axis=1), 1))[:, None]).T @ here
    return first, second, met


def chances(m: int, trial: int) -> np.ndarray:
    """Any, some certain, some absent, all rare, all frequent."""
    rng = np.random.default_rng(100 * m + trial)
    q = rng.random(m)
    if trial == 1:
        q[0] = 1.0
    if trial == 2:
        q[-1] = 0.0
    if trial == 3:
        q *= 1e-4
    if trial == 4:
        q = 1 - 1e-4 * q
    return q


@pytest.mark.parametrize("trial", range(6))
@pytest.mark.parametrize("m", [1, 2, 3, 7, 11])
def test_shares_are_sums_over_subsets(m: int, trial: int) -> None:
    q, rng = chances(m, trial), np.random.default_rng(m + trial)
    for w in (np.ones(m), rng.dirichlet(np.ones(m)), rng.dirichlet(np.full(m, 0.1)), rng.random(m) ** 8):
        first, second, met = listed(q, w)
        np.testing.assert_allclose(independent_shares(q, w), first, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(independent_share_products(q, w), second, rtol=1e-12, atol=1e-14)
    first, second, _ = listed(q, np.ones(m))
    np.testing.assert_allclose(plain_average_shares(q), first, rtol=0, atol=1e-14)
    np.testing.assert_allclose(mean_share_pairs(q), second, rtol=0, atol=1e-14)
    np.testing.assert_allclose(averaging_matrix(q), met, rtol=0, atol=1e-14)


def test_the_published_example() -> None:
    found = plain_average_shares(np.array([0.9, 0.5, 0.2, 0.05]))
    np.testing.assert_allclose(found, [0.601875, 0.250542, 0.088542, 0.021042], atol=5e-7)
    q = plain_average_shares(np.array([0.9, 0.3]))
    assert q @ [0, 100] / q.sum() == pytest.approx(17.742, abs=5e-4)


def test_clients_without_weight_or_chance_have_no_share() -> None:
    q, w = np.array([0.5, 0.7, 0.0]), np.array([1.0, 0.0, 2.0])
    np.testing.assert_allclose(independent_shares(q, w), [0.5, 0, 0], atol=1e-15)
    np.testing.assert_allclose(independent_share_products(q, w), np.diag([0.5, 0, 0]), atol=1e-15)
    assert not plain_average_shares(np.zeros(3)).any()
    assert not independent_share_products(np.zeros(3), np.ones(3)).any()
    np.testing.assert_array_equal(averaging_matrix(np.zeros(2)), 0)


@pytest.mark.parametrize("m", [64, 300])
def test_many_clients_share_what_there_is(m: int) -> None:
    """No list is possible here, but sums are: the chance that anybody comes, and the first moments."""
    rng = np.random.default_rng(m)
    q, w = rng.random(m) ** 3, rng.dirichlet(np.ones(m))
    np.testing.assert_allclose(independent_shares(q, w).sum(), 1 - np.prod(1 - q), atol=1e-14)
    for weights in (np.ones(m), w):
        np.testing.assert_allclose(
            independent_share_products(q, weights).sum(axis=1), independent_shares(q, weights), atol=1e-14
        )
    np.testing.assert_allclose(averaging_matrix(q).sum(axis=1), q, atol=1e-13)


def test_the_scale_of_weights_does_not_matter() -> None:
    q, w = np.array([0.2, 0.9, 0.4]), np.array([1.0, 3.0, 0.5])
    for scale in (1e-9, 1e9):
        np.testing.assert_allclose(independent_shares(q, scale * w), independent_shares(q, w), rtol=1e-13)
        np.testing.assert_allclose(
            independent_share_products(q, scale * w), independent_share_products(q, w), rtol=1e-13
        )


def test_equal_chances_are_a_binomial() -> None:
    m, q = 40, 0.15
    np.testing.assert_allclose(plain_average_shares(np.full(m, q)), (1 - (1 - q) ** m) / m, rtol=1e-13)
