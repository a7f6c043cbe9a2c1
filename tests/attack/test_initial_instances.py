"""Tests of initial plans: how much of a term each shows that was made for it."""

import numpy as np
import pytest

from boundkit.algebra import Theorem
from boundkit.attack.candidate import evaluate_candidate
from boundkit.attack.initial_instances import (
    first_step_plans,
    last_gradient_plans,
    single_cause_plans,
    straight_line_plans,
)
from boundkit.theorems import theorem
from boundkit.verification.instance import Instance


def share(thm: Theorem, plan: Instance, label: str) -> float:
    """Return the largest share of a term that the plan needs."""
    return float(np.nanmax(evaluate_candidate(thm, plan).shares(thm, label)))


def test_last_gradients_show_the_constants_of_a_proximal_solver() -> None:
    thm = theorem("fednova_nonconvex_surrogate_sharp")
    gap, noise, drift = last_gradient_plans(thm)
    b, c = 1 / 4, 1 / 2  # a round multiplies the model by 1 - c (1 - b)
    needed = 2 / ((1 - b) * (2 - c * (1 - b)))
    assert share(thm, gap, "initial gap") == pytest.approx(needed * 50 / 101, rel=1e-7)  # less rounding
    assert 11 / 25 < share(thm, noise, "stochastic noise") < 0.473
    assert 1 / 3 < share(thm, drift, "client drift") < 20 / (57 * (1 - b**2))


@pytest.mark.parametrize("name", ["fednova_nonconvex_tuned", "fedavg_nonconvex"])
def test_there_are_none_where_proximal_solvers_are_not_measured(name: str) -> None:
    assert not list(last_gradient_plans(theorem(name)))


def test_stored_updates_have_noise_and_a_start_up() -> None:
    thm = theorem("fedvarp_nonconvex_sharp")
    plans = {plan.name: plan for plan in single_cause_plans(thm)}
    noise = plans["noise of stored updates, settled"]
    assert share(thm, noise, "stochastic noise") > 2 / 5  # more than twice that of fedavg's directions
    start = plans["start-up of stored updates"]
    assert 0.47 < share(thm, start, "start-up of stored updates") < 50 / 57 / (2 - 1 / 4)
    of_fedavg = single_cause_plans(theorem("fedavg_nonconvex_partial"))
    assert not {plan.name for plan in of_fedavg} & {noise.name, start.name}


@pytest.mark.parametrize("name", ["fedavg_convex_partial", "fedavg_convex_partial_sharp"])
def test_a_straight_line_needs_a_gap_of_half_of_the_squared_distance(name: str) -> None:
    """From D = 1 + s T the mean loss gap is about D/2, and the term is c D^2/(s T)."""
    thm = theorem(name)
    (plan,) = straight_line_plans(thm)
    constant = float(thm.bound.terms["initial gap"].expr.as_coeff_Mul()[0])
    assert 0.9 / 2 < constant * share(thm, plan, "initial gap") < 1 / 2


def test_there_is_no_straight_line_under_strong_convexity_or_where_rounds_give_the_steps() -> None:
    for name in ("fedavg_strongly_convex_partial", "fedavg_pl", "fedavg_nonconvex_tuned"):
        assert not list(straight_line_plans(theorem(name))), name


def test_one_short_step_attains_the_bound_of_the_start() -> None:
    thm = theorem("biased_selection_strongly_convex_fixed")
    ratios = [np.nanmax(evaluate_candidate(thm, plan).ratios(thm)) for plan in first_step_plans(thm)]
    assert 0.98 < max(ratios) < 1
