"""Candidates in proportion to p, and of them those whose loss is largest."""

from itertools import permutations

import numpy as np
import pytest

from boundkit.simulation.participation import PowerOfChoice, SelectionContext
from boundkit.simulation.random_streams import Streams
from tests.simulation.participation.kinds import P, came, rounds

LOSSES = np.array([0.1, 0.5, 0.3, 0.9, 0.5, 7.0])


def looking(losses: np.ndarray, replicas: int, heard: np.ndarray | None = None) -> SelectionContext:
    told = np.tile(losses, (replicas, 1))
    noisy = told[:, ::-1]
    return SelectionContext(
        lambda: told, lambda batch: noisy, told if heard is None else np.tile(heard, (replicas, 1))
    )


def drawn(who: PowerOfChoice, replicas: int, heard: np.ndarray | None = None, t: int = 0) -> np.ndarray:
    return came(who.draw(t, Streams(2, replicas), looking(LOSSES, replicas, heard)), replicas)


def chances(p: np.ndarray, d: int, count: int, scores: np.ndarray) -> np.ndarray:
    """How often each client is chosen, over all orders in which d candidates can be drawn."""
    out = np.zeros(len(p))
    for order in permutations(np.flatnonzero(p).tolist(), d):
        left, chance = 1.0, 1.0
        for i in order:
            chance *= p[i] / left
            left -= p[i]
        best = sorted(order, key=lambda i: (-scores[i], i))[:count]
        out[best] += chance
    return out


@pytest.mark.parametrize("lowest", [False, True])
@pytest.mark.parametrize(("d", "count"), [(1, 1), (3, 1), (3, 2), (4, 4)])
def test_candidates_are_drawn_one_after_another_in_proportion_to_p(d: int, count: int, lowest: bool) -> None:
    R = 5_000
    found = drawn(PowerOfChoice(P, count, d, lowest=lowest), R).mean(axis=0)
    expected = chances(P, d, count, -LOSSES if lowest else LOSSES)
    assert found[5] == 0  # no weight, no candidate, however large its loss
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / R) + 1e-12).all()


def test_with_all_as_candidates_the_largest_losses_come_for_certain() -> None:
    who = PowerOfChoice(P, 3, 5)
    assert not who.random
    assert (drawn(who, 50) == [0, 1, 0, 1, 1, 0]).all()
    assert (drawn(PowerOfChoice(P, 2, 5), 50) == [0, 1, 0, 1, 0, 0]).all()  # a tie goes to the smaller number
    assert (drawn(PowerOfChoice(P, 2, 5, lowest=True), 50) == [1, 0, 1, 0, 0, 0]).all()


def test_variants_rank_by_what_they_look_at() -> None:
    estimated = PowerOfChoice(P, 1, 5, variant="cpow", batch=4)
    assert (drawn(estimated, 9) == [1, 0, 0, 0, 0, 0]).all()  # of the mirrored losses, 7.0 is client 0's
    heard = np.array([0.2, 0.1, np.inf, 0.4, np.inf, 9.0])
    for lowest in (False, True):
        stale = PowerOfChoice(P, 2, 5, variant="rpow", lowest=lowest)
        assert (drawn(stale, 9, heard) == [0, 0, 1, 0, 1, 0]).all()  # who was never heard goes first
    stale = PowerOfChoice(P, 3, 5, variant="rpow-d")
    assert (drawn(stale, 9, heard) == [0, 0, 1, 1, 1, 0]).all()
    stale = PowerOfChoice(P, 3, 5, variant="rpow", lowest=True)
    assert (drawn(stale, 9, heard) == [0, 1, 1, 0, 1, 0]).all()
    assert stale.reports_losses
    assert not estimated.reports_losses


def test_a_list_of_d_moves_on_and_stays_at_the_last() -> None:
    who = PowerOfChoice(P, 1, [5, 3, 1], every=10)
    assert [who.candidates(t) for t in (0, 9, 10, 19, 20, 99)] == [5, 5, 3, 3, 1, 1]
    assert (drawn(who, 50, t=9) == [0, 0, 0, 1, 0, 0]).all()
    assert np.ptp(drawn(who, 50, t=20), axis=0).any()
    assert who.random


def test_candidates_in_proportion_to_p_are_not_chosen_in_proportion_to_p() -> None:
    """d = count is no unbiased sampling where p is unequal: who has much weight comes too seldom for it."""
    R = 20_000
    found = drawn(PowerOfChoice(P, 3, 3), R).mean(axis=0) / 3
    expected = chances(P, 3, 3, LOSSES) / 3
    assert (np.abs(found - expected) < 5 * np.sqrt(1 / 9 / R)).all()
    assert expected[0] < P[0] - 0.02


def test_every_replica_draws_as_much_whatever_its_losses() -> None:
    streams = Streams(1, 3)
    for _ in rounds(PowerOfChoice(P, 2, 3), 1, 3, T=2):
        pass
    PowerOfChoice(P, 2, 3).draw(0, streams, looking(LOSSES, 3))
    PowerOfChoice(P, 2, 3, variant="rpow").draw(1, streams, looking(LOSSES, 3))
    after = Streams(1, 3)
    after.uniform(6)
    after.uniform(6)
    np.testing.assert_array_equal(streams.uniform(2), after.uniform(2))
