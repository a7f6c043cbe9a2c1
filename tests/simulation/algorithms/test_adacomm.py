"""AdaComm: its local steps follow the rule, its rounds are those of local SGD with these steps."""

from typing import Any

import numpy as np

from boundkit import adacomm_steps, simulate
from tests.cases import each
from tests.simulation.algorithms.uneven import problem

NAME = "adacomm"
SETTING: dict[str, Any] = {"rounds": 24, "eta": 0.02, "x0": [3.0, -1.0]}


def taus(trajectory: Any) -> list[int]:
    return [int(tau) for tau in trajectory.observed["local_steps"][0, :-1]]


@each(("period", "shrink"), [(1, 0.9), (3, 0.5)])
def test_the_steps_follow_the_rule(period: int, shrink: float) -> None:
    x = simulate(NAME, problem(), options={"tau_0": 16, "period": period, "shrink": shrink}, **SETTING)
    gaps, expected = x.observed["loss_gap"][0], [16]
    for t in range(1, 24):
        again = expected[-1]
        if t % period == 0:
            again = adacomm_steps(gaps[t], gaps[0], 16, previous=expected[-1], shrink=shrink)
        expected.append(again)
    assert taus(x) == expected
    assert len(set(expected)) > 3
    alike = [[tau] * 4 for tau in expected]
    local = simulate("local_sgd", problem(), local_steps=alike, **SETTING)
    np.testing.assert_array_equal(x.x, local.x)
    inside = "virtual_gradient_norm_squared"
    np.testing.assert_array_equal(x.observed[inside], local.observed[inside])


def test_tau_0_is_the_local_steps_of_the_run_by_default() -> None:
    given = simulate(NAME, problem(), local_steps=16, options={"period": 3}, **SETTING).x
    for steps in (1, 40, [1, 2, 3, 4]):
        options = {"period": 3, "tau_0": 16}
        np.testing.assert_array_equal(
            simulate(NAME, problem(), local_steps=steps, options=options, **SETTING).x, given
        )
