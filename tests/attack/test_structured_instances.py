"""Families of two kinds of clients: their ranges, their costs, and starts at stable fixed points."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.candidate import TYPICAL_COST, estimate_cost, evaluate_candidate, make_candidate_run
from boundkit.attack.evidence import EvidencePool
from boundkit.attack.structured_instances import draw_family, drift_families
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.theorems import theorem
from tests.cases import each

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
