"""The picture of outer optimisers: edges, noise and best steps are those of the closed forms."""

import numpy as np
import pytest

from boundkit.analysis.outer_optimisers import OuterOptimiser
from boundkit.figures.outer_optimisers import columns, figure, rounds_to_a_tenth


def test_the_curves_are_those_of_the_closed_forms() -> None:
    page = figure("paper")
    lines = {str(line.get_gid()): line for axes in page.axes for line in axes.get_lines()}
    x, edge = (np.asarray(v, dtype=float) for v in lines["edge Nesterov"].get_data())
    np.testing.assert_allclose(edge, [OuterOptimiser(1.0, 1 - 1 / v, 1.0).largest for v in x])
    late = np.asarray(lines["edge Nesterov, late"].get_ydata(), dtype=float)
    assert (late < edge).all()
    noise = np.asarray(lines["noise Nesterov 0.7, 0.9"].get_ydata(), dtype=float)
    assert noise[-1] == pytest.approx(1.909469922573)
    numbers = columns()
    assert (np.diff(numbers["best beta_s"]) < 0).all()
    assert numbers["best eta_s"][0] == pytest.approx(13.3288903699)


def test_rounds_to_a_tenth_are_infinite_where_unstable() -> None:
    rounds = rounds_to_a_tenth(np.array([0.0, 0.9]), np.array([1.0, 1.9]))
    assert np.isfinite(rounds).tolist() == [[True, True], [True, False]]
    assert rounds[0, 0] == pytest.approx(np.log(10) / -np.log(0.99))
