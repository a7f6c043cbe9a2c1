"""FedVARP, ClusterFedVARP and SCAFFOLD: planted mistakes, violated assumptions, constants by hand."""

from dataclasses import replace
from math import comb
from typing import Any

import numpy as np
import pytest
from sympy import Integer, Rational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, L, T, eta, tau
from boundkit.simulation.engines import ExactStateEngine, StepEngine, trajectory
from boundkit.simulation.fixed_point import fixed_point, period_from
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.fixed_point import fixed_point_check
from boundkit.verification.checks.order_level import order_checks, sweeps_of
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.families import context_of
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.verification.planted_errors import times, with_term

VARP, CLUSTER = theorem("fedvarp_nonconvex"), theorem("clusterfedvarp_nonconvex")
SHARP, FULL = theorem("fedvarp_nonconvex_sharp"), theorem("scaffold_nonconvex")
CORRECTIONS = theorem("scaffold_nonconvex_sharp")
CONVEX, STRONG = theorem("scaffold_convex_partial"), theorem("scaffold_strongly_convex_partial")
PAIRS = {"clusters": [[0, 1], [2, 3]]}


def run_of(name: str, problem: Problem | None = None, **more: Any) -> Run:
    made = problem or Quadratic.random(4, 2, 1, dense=True, noise=0.5)
    given = {"rounds": 20, "eta": 1e-3, "local_steps": 3, "participation": {"kind": "uniform", "C": 0.5}}
    return make_run(name, made, x0=np.ones(made.d), **(given | more))


def value(statement: Theorem, run: Run, name: str) -> float:
    return context_of(statement, run).constant(name).value


def test_a_wrong_exponent_in_the_sampled_fraction_is_a_violation() -> None:
    rate = theorem("scaffold_nonconvex_partial")
    planted = times(rate, "initial gap", C ** Rational(2, 3))
    scaling = sweeps_of(rate)
    only = replace(scaling, values={"C": scaling.values["C"]})
    assert [c.outcome for c in order_checks(rate, only)] == ["holds"]
    assert [c.outcome for c in order_checks(planted, only)] == ["violated"]


def test_a_wrong_exponent_of_a_term_is_a_violation() -> None:
    for statement, label, factor, name in (
        (SHARP, "client drift", eta * L, "eta"),
        (SHARP, "start-up of stored updates", 1 / T, "T"),
        (FULL, "stochastic noise", 1 / tau, "tau"),
    ):
        one = replace(statement, terms=(statement.bound.terms[label],), reductions=(), limits=())
        checks, _ = slope_checks(times(one, label, factor))
        assert f"slope of {label} in {name}" in [c.name for c in checks if c.outcome == "violated"]
        assert {c.outcome for c in slope_checks(one)[0]} == {"holds"}


def test_violated_assumptions_are_named() -> None:
    uneven = run_of("clusterfedvarp", options={"clusters": [[0], [1, 2, 3]]})
    (reason,) = reasons_not_applicable(CLUSTER, uneven)
    assert reason == "it needs clusters of one size, and those of the run have from 1 to 3 clients"
    (reason,) = reasons_not_applicable(CONVEX, run_of("scaffold", options={"variant": "I"}))
    assert reason.startswith("its controls are means of local gradients (variant II)")
    (reason,) = reasons_not_applicable(CONVEX, run_of("scaffold", eta_s=0.5))
    assert reason == "it needs eta_s of at least 1, and the run has 0.5"
    assert any("all clients" in r for r in reasons_not_applicable(FULL, run_of("scaffold")))
    assert any(
        "same number of local steps" in r
        for r in reasons_not_applicable(VARP, run_of("fedvarp", local_steps=[1, 2, 3, 4]))
    )
    assert reasons_not_applicable(CLUSTER, run_of("clusterfedvarp", options=PAIRS)) == []
    assert reasons_not_applicable(CONVEX, run_of("scaffold", options={"initial_controls": "gradient"})) == []


def test_the_probability_that_no_client_of_a_cluster_participates() -> None:
    for m, size, count in ((4, 2, 2), (4, 1, 3), (6, 3, 2), (6, 6, 1), (6, 2, 6)):
        clusters = [list(range(i, i + size)) for i in range(0, m, size)]
        run = run_of("clusterfedvarp", Quadratic([1.0] * m, np.zeros((m, 1))), options={"clusters": clusters},
                     participation={"kind": "uniform", "C": count / m})  # fmt: skip
        expected = comb(m - size, count) / comb(m, count)
        assert value(CLUSTER, run, "missed") == pytest.approx(expected, abs=1e-12)


def test_initial_errors_are_those_of_the_clients_gradients() -> None:
    problem = Quadratic([1.0, 2.0, 1.0, 4.0], [[0.0], [1.0], [2.0], [-1.0]], noise=0.5)
    run = run_of("scaffold", problem)
    g = np.array([1.0, 0.0, -1.0, 8.0])  # h_i (1 - e_i)
    assert value(FULL, run, "control_error") == pytest.approx((g @ g / 4) ** 0.5)
    assert value(CORRECTIONS, run, "correction_error") == pytest.approx(g.std())
    assert value(VARP, run, "gradients_start") == pytest.approx((g @ g / 4) ** 0.5)
    assert problem.optimum is not None
    h, e = np.array([1.0, 2.0, 1.0, 4.0]), problem.e[:, 0]
    at_optimum = h * (problem.optimum[0] - e)
    assert value(CONVEX, run, "control_error_star") == pytest.approx((at_optimum @ at_optimum / 4) ** 0.5)
    right = run_of("scaffold", problem, options={"initial_controls": "gradient"})
    assert value(FULL, right, "control_error") == 0.5
    assert value(CORRECTIONS, right, "correction_error") == pytest.approx(0.5 * 0.75**0.5)
    square = ((g - at_optimum) ** 2).mean() + 0.25
    assert value(CONVEX, right, "control_error_star") == pytest.approx(square**0.5)


@each("noise", [0.0, 0.7])
def test_the_error_of_the_first_direction_from_second_moments(noise: float) -> None:
    """V_0^2 from the moments of x_1: E||v_0||^2 = E||x_0 - x_1||^2/(eta_s eta tau)^2."""
    problem = Quadratic([1.0] * 4, [[0.0], [1.0], [3.0], [-1.0]], noise=noise)
    run = run_of("fedvarp", problem, eta=0.1)
    moments = ExactStateEngine(replace(run, rounds=1)).trajectory()
    shift = 0.1 * 3
    mean = (1 - moments.x[1, 0]) / shift
    spread = (moments.mean("distance_squared")[1] - (moments.x[1, 0] - 0.75) ** 2) / shift**2
    shrink = np.array([1.0, 0.9, 0.81])
    assert mean == pytest.approx(shrink.mean() * 0.25)
    sent = noise**2 * (shrink**2).sum() / 9  # the noise of one client's mean gradient
    of_participants = spread - sent / 2
    q = (4 - 2) / (4 - 1)
    expected = of_participants + q / 2 * (3 / 4) * sent + noise**2 / (3 * 4)
    assert value(VARP, run, "update_error") ** 2 == pytest.approx(expected)


def test_first_rounds_are_sampled_where_losses_are_not_quadratic() -> None:
    """On a quadratic the sampled number must be the formula's."""
    from boundkit.verification.families import client_state

    run = run_of("fedvarp", Quadratic([1.0] * 4, [[0.0], [1.0], [3.0], [-1.0]], noise=2.0), eta=0.1)
    without_noise = client_state._spread(client_state._first_round_gradients(run)[0])
    exact = without_noise + 3 / 4 * client_state._first_round_noise(run)
    sampled = np.mean([client_state._spread(g) for g in client_state._first_round_gradients(run, 4000)])
    assert sampled == pytest.approx(exact, rel=0.03)
    bent = run_of("fedvarp", SmoothNonconvex.random(4, 2, seed=1, noise=1.0))
    assert context_of(VARP, bent).constant("update_error").trust == "estimated"


def test_dissimilarity_within_clusters_is_measured_along_the_run() -> None:
    """Different Hessians: the largest mean square inside clusters, by hand."""
    quiet = Quadratic.random(4, 2, 1, dense=True)
    run = run_of("clusterfedvarp", quiet, options=PAIRS, participation=None)
    verdict = verify(CLUSTER, run, slopes=False)
    assert verdict.answer == "holds"
    path = trajectory(run, "step").x[:-1]
    g = quiet.client_gradients(path)
    apart = [
        ((g[:, c] - g[:, c].mean(axis=1, keepdims=True)) ** 2).sum(-1).mean(-1) for c in PAIRS["clusters"]
    ]
    by_hand = np.mean(apart, axis=0).max() ** 0.5
    assert verdict.constants["sigma_c"].value == pytest.approx(by_hand, rel=1e-9)
    assert verdict.constants["sigma_c"].trust == "local"
    alike = run_of("clusterfedvarp", Quadratic([2.0] * 4, [[0.0], [1.0], [5.0], [5.0]]), options=PAIRS)
    assert value(CLUSTER, alike, "sigma_c") == pytest.approx((0.5 * 1.0) ** 0.5)
    alone = run_of("clusterfedvarp")
    assert value(CLUSTER, alone, "sigma_c") == 0


@each("name", ["fedvarp", "clusterfedvarp", "scaffold"])
def test_the_fixed_point_of_model_and_client_state(name: str) -> None:
    problem = Quadratic.random(4, 2, 1, dense=True, curvature=(0.2, 1.0))
    run = run_of(name, problem, eta=0.05, eta_s=1.5, participation=None)
    limit = fixed_point(run)
    assert limit.stable
    np.testing.assert_allclose(period_from(run, limit), limit.points[0], atol=1e-13)
    if name == "scaffold":  # without its control variates the model moves away
        moved = StepEngine(replace(run, x0=limit.points[0], rounds=1)).trajectory().x[-1] - limit.points[0]
        assert np.abs(moved).max() > 1e-4


def test_a_nonzero_error_floor_is_not_taken_for_rounding() -> None:
    """SCAFFOLD's limit has no drift, FedAvg's has: a bound without it is a violation at the fixed point."""
    run = run_of("scaffold", Quadratic.random(4, 2, 1, dense=True), participation=None, eta=0.02)
    assert fixed_point_check(FULL, run).outcome == "holds"
    averaged = run_of("fedavg", run.problem, participation=None, eta=0.02)
    planted = replace(FULL, algorithm="fedavg", assumptions=tuple(
        a for a in FULL.assumptions if a.name != "controls-of-local-gradients"))  # fmt: skip
    planted = with_term(planted, "start-up", Integer(0) * eta)
    assert fixed_point_check(planted, averaged).outcome == "violated"
