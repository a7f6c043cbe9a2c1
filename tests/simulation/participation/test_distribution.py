"""Distributions of participation against the enumeration of their outcomes, and against many samples."""

import numpy as np

from boundkit.simulation.participation import Distribution, Draws, FixedSubset, Independent, UniformSubsets
from tests.cases import each

DISTRIBUTIONS: dict[str, Distribution] = {
    "fixed": FixedSubset((0, 3), 5),
    "empty": FixedSubset((), 3),
    "uniform": UniformSubsets(7, 3),
    "uniform, all": UniformSubsets(4, 4),
    "uniform, one": UniformSubsets(1, 1),
    "uniform in a group": UniformSubsets(8, 2, (1, 4, 5, 7)),
    "uniform in a group of one": UniformSubsets(8, 1, (3,)),
    "independent": Independent((0.9, 0.2, 0.55, 0.01)),
    "independent, some certain": Independent((1.0, 0.3, 0.0, 0.7, 1.0)),
    "independent, all certain": Independent((1.0, 0.0)),
    "independent, many": Independent(tuple(np.linspace(0.05, 0.95, 13).tolist())),
    "draws": Draws((0.5, 0.3, 0.2), 4),
    "draws, some never": Draws((0.5, 0.0, 0.5, 0.0), 3),
    "one draw": Draws((0.25, 0.75), 1),
    "draws of one client": Draws((0.0, 1.0), 2),
}
EACH = each("distribution", DISTRIBUTIONS.values(), ids=list(DISTRIBUTIONS))


def outcomes(distribution: Distribution) -> tuple[np.ndarray, np.ndarray]:
    chunks = list(distribution.enumerate())
    return np.concatenate([p for p, _ in chunks]), np.concatenate([c for _, c in chunks])


def second_moment(distribution: Distribution) -> np.ndarray:
    pairs = distribution.pairs
    low_rank = (s * np.outer(v, v) for s, v in pairs.factors)
    return np.asarray(np.diag(pairs.diagonal) + sum(low_rank))


@EACH
def test_moments_are_sums_over_the_outcomes(distribution: Distribution) -> None:
    probability, counts = outcomes(distribution)
    assert len(probability) == distribution.outcomes
    assert counts.shape == (distribution.outcomes, distribution.clients)
    assert len(np.unique(counts, axis=0)) == distribution.outcomes
    assert (probability > 0).all()
    assert abs(probability.sum() - 1) < 1e-14
    np.testing.assert_allclose(distribution.first, probability @ counts, rtol=0, atol=1e-14)
    included = probability @ (counts > 0)
    np.testing.assert_allclose(distribution.inclusion_probabilities, included, rtol=0, atol=1e-14)
    expected = (counts * probability[:, None]).T @ counts
    np.testing.assert_allclose(second_moment(distribution), expected, rtol=0, atol=1e-13)
    assert abs(distribution.empty_probability - probability[counts.sum(axis=1) == 0].sum()) < 1e-14
    assert distribution.deterministic == (distribution.outcomes == 1)
    sizes = set(counts.sum(axis=1).tolist())
    if distribution.fixed_size is not None:
        assert sizes == {distribution.fixed_size}


@EACH
def test_samples_have_the_probabilities_of_the_outcomes(distribution: Distribution) -> None:
    """Pearson's statistic over all outcomes (the rare ones as one), against five standard deviations."""
    draws = 30_000
    probability, counts = outcomes(distribution)
    key = (distribution.fixed_size or 1) + 1
    code = key ** np.arange(distribution.clients)
    sampled = distribution.sample(draws, np.random.default_rng(4))
    assert sampled.shape == (draws, distribution.clients)
    order = np.argsort(counts @ code)
    place = np.searchsorted((counts @ code)[order], sampled @ code)
    assert (counts[order][place] == sampled).all()  # no outcome outside the enumeration
    observed = np.bincount(place, minlength=len(probability)).astype(float)
    expected = draws * probability[order]
    often = expected >= 20
    if not often.all():
        observed = np.append(observed[often], observed[~often].sum())
        expected = np.append(expected[often], expected[~often].sum())
    freedom = len(observed) - 1
    assert ((observed - expected) ** 2 / expected).sum() <= freedom + 5 * (2 * freedom) ** 0.5 + 1e-9
