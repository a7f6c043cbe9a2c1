"""Uniform sampling without replacement."""

from itertools import combinations

import numpy as np

from boundkit.simulation.participation import WithoutReplacement
from boundkit.simulation.random_streams import Streams


def test_all_subsets_have_equal_probability() -> None:
    who, R = WithoutReplacement(5, 0.4), 20_000
    drawn = who.draw(0, Streams(1, R)).clients
    assert drawn.shape == (R, 2)
    assert (np.diff(drawn, axis=1) > 0).all()  # sorted, without repetition
    counts = [np.sum((drawn == pair).all(axis=1)) for pair in combinations(range(5), 2)]
    assert sum(counts) == R
    z = (np.array(counts) - R / 10) / np.sqrt(R * 0.1 * 0.9)
    assert np.abs(z).max() < 4


def test_rounds_are_independent() -> None:
    streams, who = Streams(1, 1), WithoutReplacement(10, 0.5)
    draws = {tuple(who.draw(t, streams).clients[0]) for t in range(50)}
    assert len(draws) > 30
