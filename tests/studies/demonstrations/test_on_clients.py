"""Demonstrations on networks in their quick form: what is resolved even there, by the same seeds every time.

They are slow; test_network_settings.py holds the same tables without training.
"""

import numpy as np
import pytest

from boundkit.studies.demonstrations.cyclic_groups_on_digits import CLIENT_STEPS, STEPS, CyclicGroupsOnDigits
from boundkit.studies.demonstrations.label_flipping import SHARES, LabelFlipping
from boundkit.studies.demonstrations.selection_fairness import (
    ALPHAS,
    CHOSEN,
    EXPECTED,
    SELECTIONS,
    SelectionFairness,
)
from boundkit.studies.demonstrations.unequal_availability import (
    ALGORITHMS,
    THEORY,
    UnequalAvailability,
)
from tests.studies.demonstrations import quickly

pytestmark = pytest.mark.slow


def test_largest_losses_first_leave_less_spread() -> None:
    found: SelectionFairness = quickly.run("selection_fairness")[0]
    rows = {(row.alpha, row.selection): row for row in found.table}
    assert list(rows) == [(alpha, name) for alpha in ALPHAS for name in SELECTIONS]
    for alpha in ALPHAS:
        assert rows[alpha, "pow-d"].spread < 0.8 * rows[alpha, "uniform"].spread
        assert rows[alpha, "cpow-d"].gap != rows[alpha, "pow-d"].gap  # it sees a mini-batch only
    assert len(found.comparisons) == len(ALPHAS) * len(EXPECTED) * len(CHOSEN) + 1
    assert all(0 <= row.rounds <= found.rounds + 2 for row in found.table)


def test_with_flipped_labels_the_smallest_losses_are_better_than_the_largest() -> None:
    found: LabelFlipping = quickly.run("label_flipping")[0]
    right = {(row.share, row.chosen): row.test_accuracy for row in found.table}
    assert right[SHARES[1], "smallest"] > right[SHARES[1], "largest"] + 0.1
    assert (
        right[SHARES[0], "smallest"] < right[SHARES[0], "largest"] - 0.1
    )  # and without, the other way round
    assert {c.setting for c in found.comparisons} == {
        f"{name}, {share}" for name in ("smallest", "largest") for share in ("0% lie", "20% lie", "40% lie")
    }


def test_turns_win_at_a_small_step() -> None:
    found: CyclicGroupsOnDigits = quickly.run("cyclic_groups_on_digits")[0]
    gaps = {(row.gradients, row.step, row.groups): row.gap for row in found.table}
    small = STEPS[0]
    assert all(gaps[name, small, 8] < 0.9 * gaps[name, small, 1] for name in CLIENT_STEPS)
    assert [(s.gradients, s.step) for s in found.slopes] == [(n, e) for n in CLIENT_STEPS for e in STEPS]
    for slope in found.slopes:
        pair = np.log([gaps[slope.gradients, slope.step, K] for K in (1, 8)])
        assert abs(slope.value - (pair[1] - pair[0]) / np.log(8)) < 0.02  # of means, not the mean of slopes
        assert (slope.found == "falls") == (slope.high < 0)


def test_averaging_over_all_is_slower_than_over_those_who_came() -> None:
    found: UnequalAvailability = quickly.run("unequal_availability")[0]
    assert [row.algorithm for row in found.table] == [*ALGORITHMS] * 2
    verdicts = {(c.setting, c.measure): c for c in found.comparisons}
    assert len(verdicts) == 2 * 2 * len(THEORY)
    assert verdicts["fedavg, all, stationary", "loss_gap"].found == "higher"
    assert verdicts["mifa, stationary", "loss_gap"].theory == "lower: no availability bias"
    assert verdicts["mifa, stationary", "test_accuracy"].theory == "higher: no availability bias"
