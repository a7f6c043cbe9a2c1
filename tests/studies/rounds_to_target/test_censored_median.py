"""Medians of rounds of which some are censored at the cap."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from boundkit.studies.rounds_to_target.censored_median import Median, median, ranks, speed_up

CASES: list[tuple[list[float | None], float, bool]] = [
    ([5.0], 5.0, False),
    ([None], 100.0, True),
    ([5.0, 1.0, 9.0], 5.0, False),
    ([5.0, None, 1.0], 5.0, False),  # a censored replica moves the median no further than its rank
    ([5.0, None, None], 100.0, True),
    ([1.0, 3.0, 5.0, None], 4.0, False),
    ([1.0, 3.0, None, None], 51.5, True),  # at least the mean of 3 and the cap
    ([1.0, None, None, None], 100.0, True),
    ([100.0, 100.0, 100.0], 100.0, False),  # reached in the last round
]


def test_median_values() -> None:
    for rounds, value, censored in CASES:
        result = median(rounds, cap=100)
        assert (result.value, result.censored) == (value, censored), rounds


def test_a_censored_median_is_a_lower_bound_whatever_came_after() -> None:
    rounds: list[float | None] = [4.0, None, 9.0, None]
    result = median(rounds, cap=20)
    for beyond in product([20.5, 100.0, 1e6], repeat=2):
        assert float(np.median([4.0, 9.0, *beyond])) > result.value


def test_the_interval_consists_of_order_statistics() -> None:
    result = median([float(r) for r in range(1, 21)], cap=100)
    assert (result.low, result.high) == (6.0, 15.0)
    assert result.coverage == pytest.approx(0.9586, abs=1e-4)
    open_above = median([1.0, 2.0, 3.0, 4.0, 5.0, None], cap=100)
    assert (open_above.low, open_above.high) == (1.0, None)
    assert (open_above.value, open_above.censored) == (3.5, False)
    beyond = median([None] * 6, cap=100)
    assert (beyond.low, beyond.high, beyond.censored) == (100.0, None, True)
    alone = median([3.0], cap=100)
    assert (alone.low, alone.high, alone.coverage) == (None, None, None)


def test_the_coverage_equals_that_of_enumeration() -> None:
    """Each replica is above the median of the distribution with probability 1/2: all 2^count cases."""
    for count in range(2, 13):
        above = np.array([sum(case) for case in product((0, 1), repeat=count)])
        exact = {k: float(((above >= k) & (count - above >= k)).mean()) for k in range(1, count + 1)}
        for level in (0.5, 0.8, 0.95):
            k, coverage = ranks(count, level)
            case = f"count {count}, level {level}"
            assert 1 <= k <= max(count // 2, 1), case
            assert coverage == pytest.approx(exact[k]), case
            assert coverage >= level or k == 1, case
            assert k == max(count // 2, 1) or exact[k + 1] < level, f"{case}: not the shortest"


def test_speed_ups() -> None:
    base, own = Median(100.0, False, 80.0, 120.0, 0.97), Median(25.0, False, 20.0, 40.0, 0.97)
    faster = speed_up(base, own)
    assert faster is not None
    assert (faster.factor, faster.bound, faster.low, faster.high) == (4.0, "", 2.0, 6.0)
    late = Median(300.0, True, 250.0, None, 0.97)
    than_late, itself_late = speed_up(late, own), speed_up(base, late)
    assert than_late is not None
    assert itself_late is not None
    assert (than_late.factor, than_late.bound, than_late.high) == (12.0, ">", None)
    assert than_late.low == 250 / 40
    assert (itself_late.factor, itself_late.bound, itself_late.low) == (100 / 300, "<", None)
    assert itself_late.high == 120 / 250
    assert speed_up(late, late) is None
