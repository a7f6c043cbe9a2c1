from __future__ import annotations

import pytest
from scipy.special import stdtrit

from boundkit.simulation.confidence_interval import student_quantile


def test_quantiles_are_those_of_scipy() -> None:
    for dof in (1, 2, 3, 4, 19, 200, 9999):
        for level in (0.95, 0.99):
            assert student_quantile(level, dof) == pytest.approx(
                float(stdtrit(dof, 0.5 + level / 2)), rel=1e-11
            )
