"""Shrinking: smaller, still as bad, and never larger than before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.attack.evidence import bound_objective
from boundkit.attack.plan_values import plan_from_values, values_of_plan
from boundkit.attack.shrinking import STAGES, ReductionBudget, least_score, shrink
from boundkit.simulation.problems import Quadratic
from boundkit.theorems import theorem
from boundkit.verification.instance import Instance

BOUND = theorem("fedavg_nonconvex_partial")


def plan() -> Instance:
    problem = Quadratic.random(4, 2, 3, dense=True, noise=0.01)
    return Instance("", problem, 3, 0.5, rounds=20, x0=np.array([1.234567, 2.345678]))


def test_a_violation_is_cut_to_one_that_can_be_read() -> None:
    terms = tuple(replace(t, expr=t.expr / 20) if t.label == "initial gap" else t for t in BOUND.terms)
    wrong = replace(BOUND, terms=terms, reductions=(), limits=())
    small = shrink(wrong, plan(), bound_objective(wrong))
    assert small.score > 1
    assert small.plan.problem.m <= 2
    assert small.plan.problem.d == 1
    assert small.plan.problem.noise == 0
    assert small.plan.present == 1


def test_what_is_kept_is_named() -> None:
    assert least_score(0.5) == 0.49
    assert least_score(3.0) == 2.0
    assert least_score(float("inf")) == 2.0


def test_every_cut_is_a_plan_and_no_two_stages_go_on_for_ever() -> None:
    origin = plan()
    sheet = values_of_plan(origin)
    for stage in STAGES:
        for cut in stage(sheet):
            made = plan_from_values(BOUND, cut, origin)
            assert made.problem.m <= 4
            assert made.rounds <= 20


def test_at_last_numbers_become_round() -> None:
    right = theorem("fedavg_nonconvex")
    terms = tuple(replace(t, expr=t.expr / 20) if t.label == "initial gap" else t for t in right.terms)
    wrong = replace(right, terms=terms, reductions=(), limits=())
    ugly = Instance("", Quadratic([0.9731], [[0.0]]), 3, rounds=7, x0=np.array([1.234567]))
    small = shrink(wrong, ugly, bound_objective(wrong), allowance=ReductionBudget(evaluations=60))
    sheet = values_of_plan(small.plan)
    assert small.score > 1
    assert sheet["problem"]["H"] == [[1.0]]
    assert sheet["x0"] == [1.0]
