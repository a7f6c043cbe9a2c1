"""Clients by their losses: roundings are no order, infinities are."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.participation.power_of_choice import ranking

INF = np.inf


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ([1.0, 3.0, 2.0], [1, 2, 0]),
        ([0.1 + 0.2, 0.3, 0.5], [2, 0, 1]),
        ([0.3, 0.1 + 0.2, 0.5], [2, 0, 1]),
        ([0.3, INF, -INF, 0.1 + 0.2, INF], [1, 4, 0, 3, 2]),
        ([-INF, -INF, 0.0], [2, 0, 1]),
        ([0.0, 1e-300, -1e-300], [1, 0, 2]),
        ([5.0], [0]),
    ],
)
def test_the_largest_comes_first_and_of_equals_the_smaller_number(
    scores: list[float], order: list[int]
) -> None:
    assert ranking(np.array(scores)).tolist() == order
    assert ranking(np.array([scores, scores])).tolist() == [order, order]


def test_where_no_two_are_near_it_is_a_stable_sort() -> None:
    scores = np.random.default_rng(0).integers(0, 5, (200, 9)).astype(np.float64)
    np.testing.assert_array_equal(ranking(scores), np.argsort(-scores, axis=-1, kind="stable"))
