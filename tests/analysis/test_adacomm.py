"""AdaComm's rule by hand, and its conditions for power laws against direct sums."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isqrt, nan
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from tests.cases import each


@each("tau_0", [1, 7, 20, 1000])
def test_the_root_is_rounded_up_exactly(tau_0: int) -> None:
    for percent in range(1, 101):
        square = percent * tau_0**2  # tau_l = ceil(sqrt(square)/10), here in whole numbers
        root = isqrt(square - 1) + 1
        assert bk.adacomm_steps(percent / 100, 1.0, tau_0) == -(-root // 10)


def test_a_whole_number_is_not_rounded_up_by_floating_point() -> None:
    for steps in range(1, 200):
        assert bk.adacomm_steps(0.1 * steps**2, 0.1 * 200**2, 200) == steps


@each("constant", [-8.0, 0.5, 1024.0])
def test_a_constant_added_to_the_loss_changes_nothing_with_the_infimum(constant: float) -> None:
    for loss in (4.0, 2.5, 1.0, 0.0625):
        shifted = bk.adacomm_steps(loss + constant, 4.0 + constant, 50, infimum=constant)
        assert shifted == bk.adacomm_steps(loss, 4.0, 50)


@each(
    ("loss", "previous", "shrink", "steps"),
    [
        (0.25, 16, 0.5, 8),  # the rule alone says 8, which is smaller
        (0.25, 8, 0.5, 4),  # not smaller
        (0.25, 7, 0.5, 4),
        (4.0, 16, 0.5, 8),  # the loss grew
        (1.0, 16, 0.25, 4),
        (1.0, 1, 0.5, 1),
    ],
)
def test_steps_that_do_not_fall_are_halved(loss: float, previous: int, shrink: float, steps: int) -> None:
    assert bk.adacomm_steps(loss, 1.0, 16, previous=previous, shrink=shrink) == steps


@each(
    ("given", "sentence"),
    [
        ({"loss": -1}, "no loss is below the infimum"),
        ({"loss": nan}, "no loss is below the infimum"),
        ({"infimum": 1}, "the first one must be above it"),
        ({"tau_0": 0}, "tau_0 = 0 was given"),
        ({"tau_0": 2.5}, "tau_0 = 2.5 was given"),
        ({"previous": 0}, "previous = 0 was given"),
        ({"shrink": 1}, "shrink = 1 was given"),
        ({"step_ratio": 0}, "step_ratio = 0 was given"),
        ({"step_ratio": inf}, "step_ratio = inf was given"),
        ({"power": 2}, "power = 2 was given"),
    ],
)
def test_what_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        bk.adacomm_steps(**{"loss": 1.0, "first_loss": 1.0, "tau_0": 4, **given})


def _converges(terms: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether a series of power-law terms converges: then each block r < s <= 2r adds a falling share.

    The blocks of a sum of r^-q shrink by 2^(1-q); from far out the ratio of two is that number.
    """
    blocks = [float(terms(np.arange(2.0**k + 1, 2.0 ** (k + 1) + 1)).sum()) for k in (17, 18)]
    return blocks[1] / blocks[0] < 0.9975


@each("step_power", [0.0, 0.3, 1 / 3, 0.4, 0.5, 0.6, 0.75, 1.0, 1.1, 1.5])
@each("steps_power", [-1.0, -0.5, 0.0, 0.2, 0.5, 1.0])
def test_the_three_conditions_against_direct_sums(step_power: float, steps_power: float) -> None:
    def steps(r: np.ndarray) -> np.ndarray:
        # tau_0 is large, so that rounding up matters little, except where the power falls: there tau_0 = 1
        return np.ceil((1000.0 if steps_power > 0 else 1.0) * r**steps_power)

    def rates(r: np.ndarray) -> np.ndarray:
        return r**-step_power

    found = bk.power_law_converges(step_power, steps_power)
    assert found.start_forgotten != _converges(lambda r: rates(r) * steps(r))
    assert found.noise_summable == _converges(lambda r: rates(r) ** 2 * steps(r))
    assert found.drift_summable == _converges(lambda r: rates(r) ** 3 * steps(r) ** 2)
    assert bool(found) == (found.start_forgotten and found.noise_summable and found.drift_summable)
