"""Laws against the list of their outcomes, and against many draws."""

import numpy as np
import pytest

from boundkit.simulation.participation import Distribution, Draws, FixedSubset, Independent, UniformSubsets

LAWS: dict[str, Distribution] = {
    "fixed": FixedSubset((0, 3), 5),
    "nobody": FixedSubset((), 3),
    "uniform": UniformSubsets(7, 3),
    "uniform, everybody": UniformSubsets(4, 4),
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
EACH = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def listed(law: Distribution) -> tuple[np.ndarray, np.ndarray]:
    chunks = list(law.enumerate())
    return np.concatenate([c for c, _ in chunks]), np.concatenate([o for _, o in chunks])


def second(law: Distribution) -> np.ndarray:
    made = np.diag(law.pairs.diagonal)
    for s, v in law.pairs.factors:
        made = made + s * np.outer(v, v)
    return np.asarray(made)


@EACH
def test_moments_are_sums_over_the_outcomes(law: Distribution) -> None:
    chance, counts = listed(law)
    assert len(chance) == law.outcomes
    assert counts.shape == (law.outcomes, law.clients)
    assert len(np.unique(counts, axis=0)) == law.outcomes
    assert (chance > 0).all()
    assert abs(chance.sum() - 1) < 1e-14
    np.testing.assert_allclose(law.first, chance @ counts, rtol=0, atol=1e-14)
    np.testing.assert_allclose(second(law), (counts * chance[:, None]).T @ counts, rtol=0, atol=1e-13)
    assert abs(law.empty_probability - chance[counts.sum(axis=1) == 0].sum()) < 1e-14
    assert law.deterministic == (law.outcomes == 1)
    sizes = set(counts.sum(axis=1).tolist())
    if law.fixed_size is not None:
        assert sizes == {law.fixed_size}


@EACH
def test_samples_fit_the_chances(law: Distribution) -> None:
    """Pearson's statistic over all outcomes (the rare ones as one), against five standard deviations."""
    draws = 100_000
    chance, counts = listed(law)
    key = (law.fixed_size or 1) + 1
    code = key ** np.arange(law.clients)
    sampled = law.sample(draws, np.random.default_rng(4))
    assert sampled.shape == (draws, law.clients)
    order = np.argsort(counts @ code)
    place = np.searchsorted((counts @ code)[order], sampled @ code)
    assert (counts[order][place] == sampled).all()  # nothing that the list does not have
    seen = np.bincount(place, minlength=len(chance)).astype(float)
    expected = draws * chance[order]
    often = expected >= 20
    if not often.all():
        seen = np.append(seen[often], seen[~often].sum())
        expected = np.append(expected[often], expected[~often].sum())
    freedom = len(seen) - 1
    assert ((seen - expected) ** 2 / expected).sum() <= freedom + 5 * (2 * freedom) ** 0.5 + 1e-9


def test_laws_are_alike_where_they_are_equal() -> None:
    assert Independent((0.5, 0.5)) == Independent((0.5, 0.5))
    assert len({UniformSubsets(4, 2), UniformSubsets(4, 2), UniformSubsets(4, 2, (0, 1, 2))}) == 2


def test_chances_of_one_and_two_in_a_group() -> None:
    law = UniformSubsets(9, 3, (0, 2, 4, 6, 8))
    assert law.inclusion_probability == pytest.approx(3 / 5)
    assert law.joint_probability == pytest.approx(3 / 10)
    assert UniformSubsets(1, 1).joint_probability == 0
