"""Curves whose crossing is seen by hand."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.studies.rounds_to_target.level_crossing import best_so_far, crossing

NAN = float("nan")


@pytest.mark.parametrize(
    ("levels", "target", "rises", "rounds"),
    [
        ([0.0, 1.0], 0.25, True, 0.25),
        ([0.0, 0.5, 0.9], 0.5, True, 1.0),  # met on the spot
        ([0.0, 0.5, 0.9], 0.7, True, 1.5),
        ([0.0, 0.5, 0.1, 0.9], 0.7, True, 2.5),  # from the best so far, not from the relapse
        ([0.0, 1.0, 0.1, 0.1], 0.75, True, 0.75),  # a later relapse does not count
        ([0.0, 0.5, 0.5, 0.5, 1.0], 0.75, True, 3.5),  # a plateau
        ([0.0, 0.5, 0.6], 0.7, True, None),
        ([0.0, NAN, 0.5, 1.0], 0.75, True, 2.5),  # what is no number is no improvement
        ([0.2, 0.4, NAN, NAN], 0.5, True, None),
        ([0.9, 0.1], 0.5, True, 0.0),
        ([2.0, 1.0], 1.25, False, 0.75),
        ([2.0, 1.0, 3.0, 0.0], 0.5, False, 2.5),
        ([2.0, 1.0], 0.5, False, None),
    ],
)
def test_by_hand(levels: list[float], target: float, rises: bool, rounds: float | None) -> None:
    assert crossing(np.array(levels), target, rises) == rounds


def test_a_loss_is_an_accuracy_upside_down() -> None:
    rng = np.random.default_rng(0)
    for levels in rng.random((50, 12)):
        above, below = crossing(levels, 0.9), crossing(-levels, -0.9, rises=False)
        assert above == below


def test_the_best_so_far_never_falls() -> None:
    levels = np.random.default_rng(1).random((5, 30))
    best = best_so_far(levels, rises=True)
    assert (np.diff(best, axis=1) >= 0).all()
    assert (best[:, -1] == levels.max(axis=1)).all()
