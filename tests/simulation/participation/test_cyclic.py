"""Groups that come in turn."""

import numpy as np

from boundkit.simulation.participation import Cyclic, FixedSubset, UniformSubsets
from tests.simulation.participation.kinds import came, rounds


def test_blocks_are_consecutive_and_come_in_turn() -> None:
    who = Cyclic(6, 3)
    drawn = [here.clients.tolist() for here in rounds(who, 0, 1, T=5)]
    assert drawn == [[0, 1], [2, 3], [4, 5], [0, 1], [2, 3]]
    assert who.period == 3
    assert who.distribution(4) == FixedSubset((2, 3), 6)
    assert not who.random
    assert [who.size(t) for t in range(3)] == [2, 2, 2]


def test_parts_of_a_group_are_drawn_afresh_at_each_visit() -> None:
    who, R = Cyclic(6, [[4, 0, 2], [1, 3, 5]], count=2), 3000
    assert who.distribution(2) == UniformSubsets(6, 2, (4, 0, 2))
    drawn = [came(here, R) for here in rounds(who, 1, R, T=3)]
    assert drawn[0][:, [1, 3, 5]].sum() == 0
    assert drawn[1][:, [0, 2, 4]].sum() == 0
    again = (drawn[0] == drawn[2]).all(axis=1).mean()  # one of three pairs
    assert abs(again - 1 / 3) < 5 * (2 / 9 / R) ** 0.5


def test_a_shuffled_group_is_used_up_before_one_comes_again() -> None:
    who, R = Cyclic(8, [[0, 1, 2, 3, 4, 5], [6, 7]], count=2, shuffle=True), 2000
    drawn = np.stack([came(here, R, 8) for here in rounds(who, 1, R, T=18)])
    first = drawn[0::2].reshape(3, 3, R, 8).sum(axis=1)  # three orders of three visits
    assert (first[:, :, :6] == 1).all()
    assert first[:, :, 6:].sum() == 0
    assert (drawn[1::2, :, 6:] == 1).all()
    where = drawn[0::2].reshape(3, 3, R, 8).argmax(axis=1)[:, :, 0]  # at which visit client 0 comes
    for order in where:
        counts = np.bincount(order, minlength=3)
        assert (np.abs(counts - R / 3) < 5 * (R * 2 / 9) ** 0.5).all()
    alike = (where[0] == where[1]).mean()  # orders are drawn anew
    assert abs(alike - 1 / 3) < 5 * (2 / 9 / R) ** 0.5


def test_a_group_taken_whole_is_certain_though_it_is_counted() -> None:
    who = Cyclic(4, 2, count=2, shuffle=True)
    assert who.distribution(1) == FixedSubset((2, 3), 4)
    assert not who.random
