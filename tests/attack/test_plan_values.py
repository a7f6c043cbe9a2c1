"""Instances of a search: their parameters, random families, and families of two kinds of clients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.candidate import (
    TYPICAL_COST,
    estimate_cost,
    evaluate_candidate,
    make_candidate_run,
    shorten_plan,
)
from boundkit.attack.evidence import EvidencePool
from boundkit.attack.initial_instances import initial_plans, single_cause_plans
from boundkit.attack.plan_values import Parametrisation, values_of_plan
from boundkit.attack.random_instances import FAMILIES, problem_families
from boundkit.attack.structured_instances import draw_family, drift_families
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic, problem_from_spec
from boundkit.simulation.problems.clipping_problem import ClippingProblem
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


@each("name", FAMILIES)
def test_a_family_has_the_clients_it_was_asked_for_and_is_json(name: str) -> None:
    rng = np.random.default_rng(0)
    for m, d in ((2, 1), (5, 3)):
        problem = FAMILIES[name](rng, m, d)
        assert (problem.m, problem.d) == (m, d)
        assert problem_from_spec(problem.to_json()).to_json() == problem.to_json()


@each("name", FAMILIES)
def test_a_family_is_convex_or_left_out_of_convex_theorems(name: str) -> None:
    problem = FAMILIES[name](np.random.default_rng(1), 3, 2)
    assert problem.convexity()[0] == (name in problem_families(theorem("fedavg_convex_partial")))


def test_anchors_hold_the_tight_instances_single_causes_and_the_default_ones() -> None:
    found = [family for family, _ in initial_plans(theorem("fedavg_nonconvex_partial"))]
    assert {"tight", "one cause", "default"} == set(found)


def test_single_causes_need_as_much_of_their_terms_as_is_known() -> None:
    bound = theorem("fedavg_nonconvex_partial")
    seen = [evaluate_candidate(bound, shorten_plan(bound, plan)) for plan in single_cause_plans(bound)]
    for label, least in (
        ("stochastic noise", 0.127),
        ("partial participation", 0.042),
        ("client drift", 0.0012),
    ):
        assert np.nanmax(EvidencePool(seen).shares(bound, label)) > least


def test_clipping_is_attacked_where_it_is_hardest() -> None:
    bound = theorem("clipped_minibatch_sgd_relaxed_smooth_lower")
    hard = {p.problem.name for _, p in initial_plans(bound) if isinstance(p.problem, ClippingProblem)}
    assert hard == {"wrong_majority", "valley", "ramp"}


SHARP = theorem("fedavg_nonconvex_sharp")


def test_drift_families_begin_at_stable_fixed_points() -> None:
    shares = []
    for family in drift_families(SHARP):
        at_optimum = replace(family, start="optimum").plan(family.zeros)
        limit = fixed_point(make_candidate_run(SHARP, at_optimum))
        if not limit.stable:
            with pytest.raises(BoundkitError, match="not stable"):
                family.plan(family.zeros)
            continue
        plan = family.plan(family.zeros)
        assert np.array_equal(plan.x0, limit.points[0])
        assert not np.array_equal(plan.x0, at_optimum.x0)
        pool = EvidencePool([evaluate_candidate(SHARP, plan)])
        shares.append(np.nanmax(pool.shares(SHARP, "client drift")))
    assert max(shares) > 0.3


def test_without_client_drift_there_are_no_drift_families() -> None:
    assert not list(drift_families(theorem("sgd_nonconvex")))


@each("name", ["fedavg_convex_partial", "fednova_nonconvex_surrogate_sharp"])
def test_random_families_lie_in_the_ranges_of_their_parameters(name: str) -> None:
    bound, rng = theorem(name), np.random.default_rng(0)
    for _ in range(10):
        family = draw_family(bound, rng).affordable()
        assert np.array_equal(family.at(family.zeros).origin, family.origin)
        simple = replace(family, start="optimum")
        run = make_candidate_run(bound, simple.plan(family.zeros))
        assert estimate_cost(bound, run) <= 1.05 * TYPICAL_COST
        assert run.problem.m == sum(family.clients)
        for far in (-1e3, 1e3):
            plan = simple.plan(np.full(len(family), far))
            assert 1 <= np.min(plan.local_steps) <= np.max(plan.local_steps) <= 1e4
            assert 0 < plan.step <= 1
            assert isinstance(plan.problem, Quadratic)
            assert np.abs(plan.problem.H).max() <= 2
