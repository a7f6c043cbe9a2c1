"""Charts: the vector 0 is the plan itself, and every vector is a plan of the same kind."""

from __future__ import annotations

import numpy as np

from boundkit.attack.initial_instances import initial_plans
from boundkit.attack.plan_values import Parametrisation, values_of_plan
from boundkit.simulation.problems import Quadratic
from boundkit.theorems import theorem
from boundkit.verification.instance import Instance
from tests.cases import each
from tests.representatives import aside

BOUND = theorem("fedavg_nonconvex_partial")


@each("name", aside(["fedavg_nonconvex_partial", "fednova_nonconvex", "cyclic_pl"], "fednova_nonconvex"))
def test_zero_is_the_plan_itself(name: str) -> None:
    bound = theorem(name)
    for _, plan in initial_plans(bound):
        chart = Parametrisation(bound, plan)
        again = values_of_plan(chart.plan(chart.zeros))
        before = values_of_plan(plan)
        assert again["rounds"] == before["rounds"]
        assert again["local_steps"] == before["local_steps"]
        for field in ("H", "e", "p"):
            if field in before["problem"]:
                assert np.allclose(again["problem"][field], before["problem"][field], rtol=1e-12)


def test_clients_of_one_kind_remain_one_kind() -> None:
    problem = Quadratic([1.0, 1.0, 0.2], [[1.0], [1.0], [-1.0]])
    chart = Parametrisation(BOUND, Instance("", problem, 4, x0=np.ones(1)))
    moved = chart.plan(np.random.default_rng(0).normal(size=len(chart))).problem
    assert isinstance(moved, Quadratic)
    assert moved.H[0, 0] == moved.H[1, 0] != moved.H[2, 0]
    assert moved.e[0, 0] == moved.e[1, 0] != moved.e[2, 0]


def test_the_step_stays_inside_its_limit_and_clients_are_whole() -> None:
    problem = Quadratic([1.0] * 4, np.zeros((4, 1)))
    chart = Parametrisation(BOUND, Instance("", problem, 4, 0.5, x0=np.ones(1)))
    for z in (-3.0, 3.0):
        plan = chart.plan(chart.zeros + z)
        assert 0 < plan.step <= 1
        assert (plan.present * 4).is_integer()
        assert 0 < plan.present <= 1
