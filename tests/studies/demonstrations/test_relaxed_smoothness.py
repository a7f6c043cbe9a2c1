"""Curvature against gradient: what is read of pairs that are known, and bounds by formula on the way."""

import numpy as np
import pytest

from boundkit.studies.demonstrations.relaxed_smoothness import (
    MODELS,
    RelaxedSmoothness,
    measure_pairs,
    measures,
)
from tests.studies.demonstrations import quickly


def test_pairs_on_a_line_give_the_line() -> None:
    steep = np.array([[1.0, 2.0, 5.0], [2.0, 3.0, 4.0], [0.5, 6.0, 1.0]])
    bent = 1 + 2 * steep
    found = measures(steep, bent)
    assert (found["L0"], found["L1"], found["slope"]) == pytest.approx((1, 2, 2))
    assert found["line over constant"] == pytest.approx(bent.mean() / bent.max())
    assert 0.9 < found["path"] <= 1
    assert 0.9 < found["clients"] <= 1


def test_curvature_that_rises_as_the_gradient_falls_leaves_a_level_line() -> None:
    steep = np.array([[3.0, 6.0], [2.0, 5.0], [1.0, 4.0]])
    found = measures(steep, 10 - steep)
    assert (found["L0"], found["L1"], found["line over constant"]) == pytest.approx((9, 0, 1))
    assert found["slope"] == pytest.approx(-1)
    assert found["path"] < -0.9


def test_softmax_regression_stays_below_its_bound_and_others_have_none() -> None:
    (steep, bent), L = measure_pairs("softmax", 0, (0, 4))
    assert steep.shape == bent.shape == (2, 8)
    assert L is not None
    assert (bent < L).all()
    deeper = MODELS["mlp"][0].problem(0)
    assert "L" not in deeper.constants(deeper.initial_point({"seed": 0}))


@pytest.mark.slow
def test_every_model_has_every_measure() -> None:
    found: RelaxedSmoothness = quickly.run("relaxed_smoothness")[0]
    assert [r.model for r in found.measures] == [name for name in MODELS for _ in range(6)]
    for one in found.measures:
        assert one.low <= one.value <= one.high
        if one.measure == "slope":
            assert (one.found == "rises with the gradient") == (one.low > 0)
        if one.measure == "line over constant":
            assert 0 < one.value <= 1 + 1e-12
