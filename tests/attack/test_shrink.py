"""Shrinking: smaller, still as bad, and never larger than before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.attack.digit_reduction import rounder
from boundkit.attack.nested_numbers import plan_of, sheet_of
from boundkit.attack.objectives import bound_aim
from boundkit.attack.shrink import Allowance, least, shrink
from boundkit.attack.structure_reduction import STAGES
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
    small = shrink(wrong, plan(), bound_aim(wrong))
    assert small.score > 1
    assert small.plan.problem.m <= 2
    assert small.plan.problem.d == 1
    assert small.plan.problem.noise == 0
    assert small.plan.present == 1


def test_what_is_kept_is_named() -> None:
    assert least(0.5) == 0.49
    assert least(3.0) == 2.0
    assert least(float("inf")) == 2.0


def test_every_cut_is_a_plan_and_no_two_stages_go_on_for_ever() -> None:
    origin = plan()
    sheet = sheet_of(origin)
    for stage in STAGES:
        for cut in stage(sheet):
            made = plan_of(BOUND, cut, origin)
            assert made.problem.m <= 4
            assert made.rounds <= 20


def test_at_last_numbers_become_round() -> None:
    right = theorem("fedavg_nonconvex")
    terms = tuple(replace(t, expr=t.expr / 20) if t.label == "initial gap" else t for t in right.terms)
    wrong = replace(right, terms=terms, reductions=(), limits=())
    ugly = Instance("", Quadratic([0.9731], [[0.0]]), 3, rounds=7, x0=np.array([1.234567]))
    small = shrink(wrong, ugly, bound_aim(wrong), allowance=Allowance(evaluations=60))
    sheet = sheet_of(small.plan)
    assert small.score > 1
    assert sheet["problem"]["H"] == [[1.0]]
    assert sheet["x0"] == [1.0]


def test_round_numbers_are_near_and_rounded_once() -> None:
    sheet = sheet_of(Instance("", Quadratic([1.0], [[0.0]]), 9896, rounds=7, x0=np.array([-3.1]), step=1.0))
    taus = [each["local_steps"] for each in rounder(sheet) if each["local_steps"] != 9896]
    assert taus == [10000, 8192, 5000, 16384]
    starts = [each["x0"] for each in rounder(sheet) if each["x0"] != [-3.1]]
    assert starts == [[-2.0], [-5.0]]
