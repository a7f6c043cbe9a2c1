"""Weights and chances from Dirichlet draws: laws, papers' rules by hand, refusals."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.dirichlet_draws import (
    availability_from_labels,
    dirichlet_weights,
    draw_probabilities,
    draw_weights,
    label_shares,
)
from tests.cases import each


def test_shares_are_dirichlet_of_that_concentration() -> None:
    """Mean 1/K and variance (K - 1)/(K^2 (K a + 1)), within five standard errors."""
    for a in (0.1, 1.0, 10.0):
        shares = label_shares(20_000, 5, a, seed=3)
        assert shares.shape == (20_000, 5)
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
        variance = 4 / 25 / (5 * a + 1)
        np.testing.assert_allclose(shares.mean(axis=0), 0.2, atol=5 * (variance / 20_000) ** 0.5)
        np.testing.assert_allclose(shares.var(axis=0), variance, rtol=0.06)


def test_chances_follow_from_shares_as_the_papers_say() -> None:
    """One label a client shows phi itself: uniform on (0, 1) for five classes, on (0, 1/2) for the rest."""
    pure = np.eye(10)
    drawn = np.stack([availability_from_labels(pure, seed) for seed in range(4000)])
    assert drawn[:, :5].max() > 0.99
    assert 0.49 < drawn[:, 5:].max() <= 0.5
    np.testing.assert_allclose(drawn.mean(axis=0), [0.5] * 5 + [0.25] * 5, atol=0.03)
    mixed = label_shares(30, 10, 0.1, seed=1)
    np.testing.assert_allclose(availability_from_labels(mixed, 7), mixed @ drawn[7], rtol=1e-14)

    drawn = np.stack([availability_from_labels(pure, seed, "fedau") for seed in range(4000)])
    assert drawn.min() == 0.02
    assert drawn.max() <= 1
    assert (drawn.sum(axis=1) >= 1 - 1e-12).all()  # sum_c max(0.02, q_c) with sum q = 1
    alike = np.full((3, 10), 0.1)  # <nu, q> = 1/10 whatever q is
    np.testing.assert_allclose(availability_from_labels(alike, 5, "fedau"), 0.1, rtol=1e-13)
    many = availability_from_labels(np.eye(200), 1, "fedau")
    assert many.max() <= 1


def test_the_forms_of_a_run_file() -> None:
    np.testing.assert_array_equal(
        draw_weights({"dirichlet": 0.5, "seed": 4}, 6), dirichlet_weights(6, 0.5, 4)
    )
    assert draw_weights({"dirichlet": 0.5}, 6).sum() == pytest.approx(1, abs=1e-14)
    for rule in ("fedawe", "fedau"):
        chances = draw_probabilities({"dirichlet": 0.1, "rule": rule, "seed": 2}, 50)
        assert chances.shape == (50,)
        assert (chances > 0).all()
        assert (chances <= 1).all()
    again = draw_probabilities({"dirichlet": 0.1, "rule": "fedau", "seed": 2, "classes": 10}, 50)
    np.testing.assert_array_equal(again, chances)
    assert not np.array_equal(draw_probabilities({"dirichlet": 0.1, "rule": "fedau", "seed": 3}, 50), chances)


@each(
    ("spec", "words"),
    [
        ({"a": 1}, "unknown field of p 'a'"),
        ({"seed": 1}, "p needs the field 'dirichlet'"),
        ({"dirichlet": None}, "'dirichlet' of p is null"),
        ({"dirichlet": 0}, "dirichlet must be above 0 and at most 1e\\+12, but it is 0"),
        ({"dirichlet": -1.0}, "but it is -1"),
        ({"dirichlet": float("inf")}, "but it is inf"),
        ({"dirichlet": "1"}, "a number above 0, but it is '1'"),
        ({"dirichlet": True}, "a number above 0, but it is True"),
        ({"dirichlet": 10**30}, "at most"),
        ({"dirichlet": 1, "seed": -1}, "seed must be a whole number of at least 0, but it is -1"),
        ({"dirichlet": 1, "seed": 0.5}, "seed must be a whole number"),
    ],
)
def test_what_cannot_be_drawn_is_refused(spec: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words):
        draw_weights(spec, 3)


def test_rules_and_classes_are_refused_by_name() -> None:
    with pytest.raises(BoundkitError, match="unknown rule of availability 'fedaw'; did you mean 'fedawe'"):
        draw_probabilities({"dirichlet": 1, "rule": "fedaw"}, 3)
    with pytest.raises(BoundkitError, match="rule must be a text"):
        draw_probabilities({"dirichlet": 1, "rule": 3}, 3)
    with pytest.raises(BoundkitError, match="classes must be a whole number of at least 1, but it is 0"):
        draw_probabilities({"dirichlet": 1, "classes": 0}, 3)


def test_of_an_odd_number_of_classes_the_first_half_is_rounded_up() -> None:
    drawn = np.stack([availability_from_labels(np.eye(3), seed) for seed in range(200)])
    assert drawn[:, 1].max() > 0.9
    assert drawn[:, 2].max() <= 0.5


def test_tiny_concentrations_still_sum_to_one() -> None:
    weights = dirichlet_weights(8, 1e-3, seed=1)
    assert np.isfinite(weights).all()
    assert weights.sum() == pytest.approx(1)
