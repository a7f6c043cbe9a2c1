"""Power of choice: candidates in proportion to p, and the largest losses among them."""

from itertools import permutations

import numpy as np

from boundkit.simulation.participation import PowerOfChoice, SelectionContext
from boundkit.simulation.random_streams import Streams
from tests.simulation.participation.kinds import P, came

LOSSES = np.array([0.1, 0.5, 0.3, 0.9, 0.5, 7.0])


def context(losses: np.ndarray, replicas: int, reported: np.ndarray | None = None) -> SelectionContext:
    repeated = np.tile(losses, (replicas, 1))
    noisy = repeated[:, ::-1]
    return SelectionContext(
        lambda: repeated,
        lambda batch: noisy,
        repeated if reported is None else np.tile(reported, (replicas, 1)),
    )


def drawn(who: PowerOfChoice, replicas: int, reported: np.ndarray | None = None, t: int = 0) -> np.ndarray:
    return came(who.draw(t, Streams(2, replicas), context(LOSSES, replicas, reported)), replicas)


def probabilities(p: np.ndarray, d: int, count: int, scores: np.ndarray) -> np.ndarray:
    """Selection probabilities, by enumeration of all sequences of d candidates."""
    out = np.zeros(len(p))
    for order in permutations(np.flatnonzero(p).tolist(), d):
        remaining, probability = 1.0, 1.0
        for i in order:
            probability *= p[i] / remaining
            remaining -= p[i]
        best = sorted(order, key=lambda i: (-scores[i], i))[:count]
        out[best] += probability
    return out


def test_candidates_are_sampled_sequentially_in_proportion_to_p() -> None:
    R = 5_000
    for d, count, lowest in ((1, 1, False), (3, 1, True), (3, 2, False), (3, 2, True), (4, 4, False)):
        found = drawn(PowerOfChoice(P, count, d, lowest=lowest), R).mean(axis=0)
        expected = probabilities(P, d, count, -LOSSES if lowest else LOSSES)
        assert found[5] == 0  # weight 0
        assert (np.abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / R) + 1e-12).all()


def test_with_all_as_candidates_the_largest_losses_are_selected() -> None:
    who = PowerOfChoice(P, 3, 5)
    assert not who.random
    assert (drawn(who, 50) == [0, 1, 0, 1, 1, 0]).all()
    assert (drawn(PowerOfChoice(P, 2, 5), 50) == [0, 1, 0, 1, 0, 0]).all()  # a tie goes to the smaller number
    assert (drawn(PowerOfChoice(P, 2, 5, lowest=True), 50) == [1, 0, 1, 0, 0, 0]).all()


def test_variants_rank_by_estimated_and_by_reported_losses() -> None:
    estimated = PowerOfChoice(P, 1, 5, variant="cpow", batch=4)
    assert (drawn(estimated, 9) == [1, 0, 0, 0, 0, 0]).all()  # of the mirrored losses, 7.0 is client 0's
    reported = np.array([0.2, 0.1, np.inf, 0.4, np.inf, 9.0])
    for lowest in (False, True):
        stale = PowerOfChoice(P, 2, 5, variant="rpow", lowest=lowest)
        assert (drawn(stale, 9, reported) == [0, 0, 1, 0, 1, 0]).all()  # clients without a report are first
    stale = PowerOfChoice(P, 3, 5, variant="rpow-d")
    assert (drawn(stale, 9, reported) == [0, 0, 1, 1, 1, 0]).all()
    stale = PowerOfChoice(P, 3, 5, variant="rpow", lowest=True)
    assert (drawn(stale, 9, reported) == [0, 1, 1, 0, 1, 0]).all()
    assert stale.reports_losses
    assert not estimated.reports_losses


def test_a_list_of_d_advances_and_stays_at_the_last() -> None:
    who = PowerOfChoice(P, 1, [5, 3, 1], every=10)
    assert [who.candidates(t) for t in (0, 9, 10, 19, 20, 99)] == [5, 5, 3, 3, 1, 1]
    assert (drawn(who, 50, t=9) == [0, 0, 0, 1, 0, 0]).all()
    assert np.ptp(drawn(who, 50, t=20), axis=0).any()
    assert who.random
