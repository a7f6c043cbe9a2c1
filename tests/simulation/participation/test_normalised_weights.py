"""Shares of what came, under every law, against the list of outcomes."""

import numpy as np
import pytest

from boundkit.simulation.participation import Distribution, Draws, FixedSubset, Independent, UniformSubsets
from boundkit.simulation.participation.normalised_weights import mean_share_products, mean_shares
from tests.simulation.participation.test_distribution import LAWS


def listed(law: Distribution, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.zeros(law.clients), np.zeros((law.clients, law.clients))
    for chances, counts in law.enumerate():
        total = counts @ w
        share = counts * w / np.where(total > 0, total, 1)[:, None]
        first += chances @ share
        second += (share * chances[:, None]).T @ share
    return first, second


def weights(m: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(m)
    return {
        "equal": np.ones(m),
        "unequal": rng.dirichlet(np.ones(m)),
        "very unequal": rng.random(m) ** 12,
        "one without": np.append(rng.random(m - 1), 0.0),
        "none with": np.zeros(m),
    }


MORE: dict[str, Distribution] = {f"uniform, {n} of 6": UniformSubsets(6, n) for n in range(1, 7)}


@pytest.mark.parametrize("law", (LAWS | MORE).values(), ids=LAWS | MORE)
@pytest.mark.parametrize("kind", weights(3))
def test_shares_are_sums_over_outcomes(law: Distribution, kind: str) -> None:
    w = weights(law.clients)[kind]
    first, second = listed(law, w)
    np.testing.assert_allclose(mean_shares(law, w), first, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mean_share_products(law, w), second, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "law",
    [
        UniformSubsets(50, 7),
        UniformSubsets(50, 43),
        UniformSubsets(60, 5, tuple(range(0, 60, 2))),
        Draws((0.02,) * 50, 9),
        Independent(tuple(np.linspace(0.01, 1, 70).tolist())),
    ],
    ids=["few", "most", "of a group", "drawn", "independent"],
)
def test_many_clients_share_what_there_is(law: Distribution) -> None:
    w = np.random.default_rng(1).dirichlet(np.ones(law.clients))
    first, second = mean_shares(law, w), mean_share_products(law, w)
    assert abs(first.sum() - (1 - law.empty_probability)) < 1e-13
    np.testing.assert_allclose(second.sum(axis=1), first, atol=1e-14)
    assert np.linalg.eigvalsh(second)[0] > -1e-14
    sampled = law.sample(20_000, np.random.default_rng(2)) * w
    share = sampled / np.maximum(sampled.sum(axis=1), 1e-300)[:, None]
    assert (np.abs(share.mean(axis=0) - first) <= 5 * share.std(axis=0) / 20_000**0.5 + 1e-12).all()


def test_a_fixed_subset_shares_for_certain() -> None:
    w = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(mean_shares(FixedSubset((0, 2), 3), w), [0.2, 0, 0.8])
    assert not mean_shares(FixedSubset((), 3), w).any()
