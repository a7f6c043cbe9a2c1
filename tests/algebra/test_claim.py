import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundkit.algebra.claim import Claim
from boundkit.algebra.errors import BoundkitError
from boundkit.algebra.vocabulary import (
    LAST_SQUARED_DISTANCE,
    MEAN_LOSS_GAP,
    MEAN_SQUARED_GRADIENT,
    ROUNDS_TO_TARGET,
)
from tests.cases import each

CLAIMS = [MEAN_SQUARED_GRADIENT, MEAN_LOSS_GAP, LAST_SQUARED_DISTANCE]
SERIES = st.lists(st.floats(0, 1e6), min_size=2, max_size=30)


@settings(max_examples=30)
@given(SERIES)
def test_average_leaves_the_last_iterate_out(series: list[float]) -> None:
    expected = sum(series[:-1]) / (len(series) - 1)
    assert float(MEAN_SQUARED_GRADIENT.measure(series)) == pytest.approx(expected, rel=1e-12)
    assert MEAN_SQUARED_GRADIENT.measure([*series[:-1], 1e9]) == MEAN_SQUARED_GRADIENT.measure(series)


@settings(max_examples=30)
@given(SERIES)
def test_last_is_the_last_iterate_alone(series: list[float]) -> None:
    assert float(LAST_SQUARED_DISTANCE.measure(series)) == series[-1]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.name)
@settings(max_examples=30)
@given(series=SERIES)
def test_running_is_the_measure_of_every_shorter_run(claim: Claim, series: list[float]) -> None:
    running = claim.running(series)
    assert running.shape == (len(series) - 1,)
    for horizon in range(1, len(series)):
        expected = float(claim.measure(series[: horizon + 1]))
        assert running[horizon - 1] == pytest.approx(expected, rel=1e-12, abs=1e-300)


@each("claim", CLAIMS, ids=lambda c: c.name)
@each("series", [[], [1.0], 3.0, np.ones((4, 1))], ids=str)
def test_run_without_a_round_is_refused_not_averaged_to_nan(claim: Claim, series: object) -> None:
    with pytest.raises(BoundkitError, match="T >= 1"):
        claim.measure(series)
    with pytest.raises(BoundkitError, match="T >= 1"):
        claim.running(series)


def test_rounds_to_target_count_equality_as_reached() -> None:
    series = [[3.0, 2.0, 1.0, 2.0], [3.0, 2.5, 2.25, 2.125]]
    assert ROUNDS_TO_TARGET.measure(series, target=2.0).tolist() == [1, np.inf]
    with pytest.raises(BoundkitError, match="needs a target"):
        ROUNDS_TO_TARGET.measure(series)
