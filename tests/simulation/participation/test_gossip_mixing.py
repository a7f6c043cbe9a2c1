"""Mixing rate of FedAWE, against the average of all mixing matrices."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import (
    Distribution,
    Draws,
    FixedSubset,
    Independent,
    NoClosedForm,
    UniformSubsets,
    participation,
)
from boundkit.simulation.participation.normalised_weights import (
    expected_mixing,
    mixing_bound,
    mixing_rate,
    mixing_rate_equal,
    second_eigenvalue,
)
from tests.cases import each


def enumerated(distribution: Distribution) -> np.ndarray:
    total = np.zeros((distribution.clients, distribution.clients))
    for probabilities, outcomes in distribution.enumerate():
        for probability, here in zip(probabilities, outcomes, strict=True):
            W = np.diag(1 - here)
            if here.any():
                W = W + np.outer(here, here) / here.sum()
            np.testing.assert_allclose(W.T @ W, W, atol=1e-15)
            total += probability * W
    return total


@each(
    "distribution",
    [
        Independent((0.9, 0.3, 0.15, 0.6, 0.05)),
        Independent((1.0, 0.3, 0.0, 0.6)),
        Independent((0.3,) * 5),
        UniformSubsets(6, 3),
        UniformSubsets(6, 2, (0, 3, 4)),
        FixedSubset((0, 2), 4),
        FixedSubset((), 4),
    ],
    ids=str,
)
def test_expected_matrix_and_its_second_eigenvalue(distribution: Distribution) -> None:
    W = enumerated(distribution)
    np.testing.assert_allclose(expected_mixing(distribution), W, atol=1e-14)
    assert abs(second_eigenvalue(distribution) - np.linalg.eigvalsh(W)[-2]) < 1e-13


def test_equal_probabilities_in_closed_form() -> None:
    for m in (2, 5, 8, 40):
        for p in (1e-6, 0.1, 0.3, 0.99, 1.0):
            rho = mixing_rate_equal(m, p)
            by_matrix = np.linalg.eigvalsh(expected_mixing(Independent((p,) * m)))[-2]
            assert abs(rho - by_matrix) < 1e-13, (m, p)
            assert abs(rho - (1 - (m * p - 1 + (1 - p) ** m) / (m - 1))) < 1e-13, (m, p)
            assert rho <= mixing_bound(m, p).value + 1e-15, (m, p)
    assert mixing_rate_equal(5, 0.3) == pytest.approx(0.83298, abs=5e-6)
    assert mixing_rate_equal(8, 0.1) == pytest.approx(0.96708, abs=5e-6)
    assert mixing_bound(8, 0.1).value == pytest.approx(0.999996, abs=5e-7)


def test_rho_is_the_largest_of_the_rounds() -> None:
    spec = {"kind": "bernoulli", "probabilities": [0.9, 0.3, 0.5], "dynamics": "staircase"}
    who = participation(spec, 3)
    rho = mixing_rate(who)
    assert rho.trust == "exact"
    assert rho.value == max(second_eigenvalue(who.distribution(t)) for t in (0, 10))
    assert second_eigenvalue(who.distribution(10)) > second_eigenvalue(who.distribution(0))


def test_distributions_without_gossip_are_refused() -> None:
    with pytest.raises(BoundkitError, match="drawn with replacement do not mix by gossip"):
        second_eigenvalue(Draws((0.5, 0.5), 2))
    with pytest.raises(NoClosedForm):
        mixing_rate(participation({"kind": "markov", "probabilities": 0.5}, 3))
