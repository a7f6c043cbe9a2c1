"""Families of random starts: of the theorem's class, and written and read without change."""

from __future__ import annotations

import numpy as np

from boundkit.attack.candidate import (
    evaluate_candidate,
    shorten_plan,
)
from boundkit.attack.evidence import EvidencePool
from boundkit.attack.initial_instances import initial_plans, single_cause_plans
from boundkit.attack.random_instances import FAMILIES, problem_families
from boundkit.simulation.problems import problem_from_spec
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.theorems import theorem
from tests.cases import each


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
