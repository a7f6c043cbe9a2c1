"""Cyclic participation by groups."""

import numpy as np

from boundkit.simulation.participation import Cyclic, FixedSubset, UniformSubsets
from tests.simulation.participation.kinds import came, rounds


def test_blocks_are_consecutive_and_cycle() -> None:
    who = Cyclic(6, 3)
    drawn = [here.clients.tolist() for here in rounds(who, 0, 1, T=5)]
    assert drawn == [[0, 1], [2, 3], [4, 5], [0, 1], [2, 3]]
    assert who.period == 3
    assert who.distribution(4) == FixedSubset((2, 3), 6)
    assert not who.random
    assert [who.size(t) for t in range(3)] == [2, 2, 2]


def test_parts_of_a_group_are_sampled_afresh_at_each_visit() -> None:
    who, R = Cyclic(6, [[4, 0, 2], [1, 3, 5]], count=2), 3000
    assert who.distribution(2) == UniformSubsets(6, 2, (4, 0, 2))
    drawn = [came(here, R) for here in rounds(who, 1, R, T=3)]
    assert drawn[0][:, [1, 3, 5]].sum() == 0
    assert drawn[1][:, [0, 2, 4]].sum() == 0
    again = (drawn[0] == drawn[2]).all(axis=1).mean()  # one of three pairs
    assert abs(again - 1 / 3) < 5 * (2 / 9 / R) ** 0.5


def test_a_shuffled_group_is_exhausted_before_a_client_returns() -> None:
    """Groups of three and of two visits: the parts count visits, not rounds."""
    who, R = Cyclic(10, [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9]], count=2, shuffle=True), 2000
    drawn = np.stack([came(here, R, 10) for here in rounds(who, 1, R, T=18)])
    by_visit = drawn[0::2].reshape(3, 3, R, 10)  # three orders of three visits
    first, second = by_visit.sum(axis=1), drawn[1::2][:8].reshape(4, 2, R, 10).sum(axis=1)
    assert (first[:, :, :6] == 1).all()
    assert first[:, :, 6:].sum() == 0
    assert (second[:, :, 6:] == 1).all()
    visit = by_visit.argmax(axis=1)[:, :, 0]  # of client 0
    for order in visit:
        counts = np.bincount(order, minlength=3)
        assert (np.abs(counts - R / 3) < 5 * (R * 2 / 9) ** 0.5).all()
    equal = (visit[0] == visit[1]).mean()  # orders are redrawn
    assert abs(equal - 1 / 3) < 5 * (2 / 9 / R) ** 0.5


def test_a_whole_group_is_deterministic_though_it_is_shuffled() -> None:
    who = Cyclic(4, 2, count=2, shuffle=True)
    assert who.distribution(1) == FixedSubset((2, 3), 4)
    assert not who.random
