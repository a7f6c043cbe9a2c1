"""Moments of weights normalised over the participants, against the enumeration of all outcomes."""

import numpy as np

from boundkit.simulation.participation import Distribution, Draws, Independent, UniformSubsets
from boundkit.simulation.participation.normalised_weights import (
    averaging_matrix,
    mean_share_products,
    mean_shares,
    plain_average_shares,
)
from tests.cases import each
from tests.simulation.participation.test_distribution import DISTRIBUTIONS


def enumerated(distribution: Distribution, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.zeros(distribution.clients), np.zeros((distribution.clients, distribution.clients))
    for probabilities, counts in distribution.enumerate():
        total = counts @ w
        share = counts * w / np.where(total > 0, total, 1)[:, None]
        first += probabilities @ share
        second += (share * probabilities[:, None]).T @ share
    return first, second


def weights(m: int) -> list[np.ndarray]:
    """Equal, unequal, very unequal, one of 0, all 0."""
    rng = np.random.default_rng(m)
    ones, unequal, steep = np.ones(m), rng.dirichlet(np.ones(m)), rng.random(m) ** 12
    return [ones, unequal, steep, np.append(rng.random(m - 1), 0.0), np.zeros(m)]


def independent() -> list[Independent]:
    """Any probabilities, one certain, one never, all rare, all frequent."""
    cases = []
    for m in (1, 2, 3, 7, 11):
        q = np.random.default_rng(m).random(m)
        for changed in (q, np.append(q[:-1], 1.0), np.append(q[:-1], 0.0), 1e-4 * q, 1 - 1e-4 * q):
            cases.append(Independent(tuple(changed.tolist())))
    return cases


@each(
    "distributions",
    [[*DISTRIBUTIONS.values(), *(UniformSubsets(6, n) for n in range(1, 7))], independent()],
    ids=["every kind", "independent"],
)
def test_shares_are_sums_over_outcomes(distributions: list[Distribution]) -> None:
    for distribution in distributions:
        for w in weights(distribution.clients):
            first, second = enumerated(distribution, w)
            case = f"{distribution}, weights {w}"
            np.testing.assert_allclose(
                mean_shares(distribution, w), first, rtol=1e-12, atol=1e-14, err_msg=case
            )
            products = mean_share_products(distribution, w)
            np.testing.assert_allclose(products, second, rtol=1e-12, atol=1e-14, err_msg=case)


def test_averaging_matrices_are_sums_over_outcomes() -> None:
    for distribution in independent():
        q, m = distribution.first, distribution.clients
        expected = np.zeros((m, m))
        for probability, counts in distribution.enumerate():
            scale = probability / np.maximum(counts.sum(axis=1), 1)
            expected += (counts * scale[:, None]).T @ counts
        np.testing.assert_allclose(averaging_matrix(q), expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(averaging_matrix(np.zeros(2)), 0)


def test_many_clients_satisfy_the_sum_rules_and_agree_with_samples() -> None:
    """Where no enumeration is possible: shares sum to the probability of a non-empty round."""
    rare = np.random.default_rng(300).random(300) ** 3
    for distribution in (
        UniformSubsets(50, 7),
        UniformSubsets(50, 43),
        UniformSubsets(60, 5, tuple(range(0, 60, 2))),
        Draws((0.02,) * 50, 9),
        Independent(tuple(np.linspace(0.01, 1, 70).tolist())),
        Independent(tuple(rare.tolist())),
    ):
        w = np.random.default_rng(1).dirichlet(np.ones(distribution.clients))
        first, second = mean_shares(distribution, w), mean_share_products(distribution, w)
        assert abs(first.sum() - (1 - distribution.empty_probability)) < 1e-13
        np.testing.assert_allclose(second.sum(axis=1), first, atol=1e-14)
        assert np.linalg.eigvalsh(second)[0] > -1e-14
        if distribution.clients > 100:  # some are too rare for samples
            continue
        sampled = distribution.sample(5_000, np.random.default_rng(2)) * w
        share = sampled / np.maximum(sampled.sum(axis=1), 1e-300)[:, None]
        assert (np.abs(share.mean(axis=0) - first) <= 5 * share.std(axis=0) / 5_000**0.5 + 1e-12).all()
    np.testing.assert_allclose(averaging_matrix(rare).sum(axis=1), rare, atol=1e-13)
    m, q = 40, 0.15
    np.testing.assert_allclose(plain_average_shares(np.full(m, q)), (1 - (1 - q) ** m) / m, rtol=1e-13)
