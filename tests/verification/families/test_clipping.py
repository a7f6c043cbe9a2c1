"""Clipping: every theorem meets runs; mistakes in it are seen; what a run breaks is named."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import L1, clip, m, sigma, target, tau
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_unsupported
from boundkit.verification.checks.bound_comparison import lower_bound_check
from boundkit.verification.checks.order_level import order_checks, sweeps_of
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.families import context_of
from boundkit.verification.verifier import verify
from tests.representatives import aside
from tests.verification.planted_errors import scaled, times, without

DECREASE, ROUNDS = theorem("clipped_gd_relaxed_smooth"), theorem("clipped_gd_relaxed_smooth_rounds")
LOWER = theorem("clipped_minibatch_sgd_relaxed_smooth_lower")
ORDERS = ["celgc_relaxed_smooth", "episode_relaxed_smooth", "episodepp_relaxed_smooth"]


def descent(problem: Any = None, **settings: Any) -> Run:
    problem = problem or Exponential([[0.0], [0.0]])
    given = {"rounds": 60, "eta": 0.5, "x0": [3.0], "options": {"gamma": 0.5}}
    return make_run("clipped_minibatch_sgd", problem, **(given | settings))


def instance(name: str, eta: float, gamma: float, **settings: Any) -> Run:
    numbers = {"grad_max": 4.0, "target": 0.5, "gap": 40.0} | settings.pop("numbers", {})
    problem = ClippingProblem(name, 3, 1.0, 1.0, **numbers)
    given = {"rounds": 50, "x0": problem.start, "participation": {"kind": "uniform", "C": 1 / 3}}
    return make_run("clipped_minibatch_sgd", problem, eta=eta, options={"gamma": gamma}, **(given | settings))


@pytest.mark.parametrize("name", [DECREASE.name, ROUNDS.name, LOWER.name, *ORDERS])
def test_nothing_of_the_theorem_is_out_of_reach(name: str) -> None:
    assert reasons_unsupported(theorem(name)) == []


@pytest.mark.parametrize(("name", "low", "high"), [
    (DECREASE.name, 0.6, 0.7), (ROUNDS.name, 0.3, 0.5), (LOWER.name, 1.0, 1.02),
])  # fmt: skip
def test_the_theorem_holds_and_comes_as_near_as_is_known(name: str, low: float, high: float) -> None:
    verdict = verify(theorem(name), slopes=False)
    assert verdict.answer == "holds", verdict.reason
    assert {c.answer for c in verdict.cases} == {"holds"}
    assert verdict.ratio is not None
    assert low <= verdict.ratio <= high
    assert [c.name for c in verdict.checks if c.name.startswith("assumption")] == []


@pytest.mark.parametrize("name", aside(ORDERS, *ORDERS[1:]))
def test_no_order_is_outgrown_in_any_letter(name: str) -> None:
    checks = order_checks(theorem(name))
    assert {c.outcome for c in checks} == {"holds"}
    letters = {"target", "m", "tau"} | ({"C"} if name == "episodepp_relaxed_smooth" else set())
    assert {c.numbers["letter"] for c in checks} == letters
    for check in checks:
        assert check.numbers["measured"] == pytest.approx(check.numbers["predicted"], abs=0.3)


@pytest.mark.parametrize(
    ("letter", "factor"), [("target", (target / sigma) ** 2), ("m", 1 / m), ("tau", 1 / tau)]
)
def test_an_order_that_promises_too_much_is_seen(letter: str, factor: Any) -> None:
    right = theorem("celgc_relaxed_smooth")
    wrong = times(right, "stochastic noise", factor)
    usual = sweeps_of(right)
    (check,) = order_checks(wrong, replace(usual, values={letter: usual.values[letter]}))
    assert check.outcome == "violated"


@pytest.mark.parametrize(("wrong", "name"), [
    (scaled(DECREASE, Rational(3, 5)), "two valleys"),
    (scaled(ROUNDS, Rational(1, 3)), "one client against four"),
    (without(ROUNDS, "clipping"), "one client against four"),
    (scaled(LOWER, Rational(21, 20)), "ramp: the longest safe step, m = 3, M = 4"),
])  # fmt: skip
def test_constants_that_promise_too_much_are_seen(wrong: Theorem, name: str) -> None:
    plan = next(plan for plan in default_instances(wrong) if plan.name == name)
    assert verify(wrong, build_run(wrong, plan), slopes=False).answer == "violated"
    right = theorem(wrong.name)
    assert verify(right, build_run(right, plan), slopes=False).answer == "holds"


@pytest.mark.slow
def test_each_term_scales_as_it_says_and_one_that_does_not_is_seen() -> None:
    checks, _ = slope_checks(ROUNDS)
    assert {(c.numbers["term"], c.numbers["letter"]) for c in checks} == {
        ("initial gap", "eta"), ("initial gap", "target"), ("clipping", "clip"), ("clipping", "target"),
    }  # fmt: skip
    assert {c.outcome for c in checks} == {"holds"}
    wrong, _ = slope_checks(times(ROUNDS, "clipping", clip * L1))
    assert [c.outcome for c in wrong if c.numbers["letter"] == "clip"] == ["violated"]


def test_the_hardest_target_is_worse_than_any_other() -> None:
    run = descent()
    seen = trajectory(run)
    norms = seen.observed["gradient_norm_squared"][0] ** 0.5
    found = context_of(ROUNDS, run, seen).constant("target").value
    gap = run.problem.constants(run.x0)["gap"].value

    def ratio(eps: float) -> float:
        first = int(np.argmax(norms <= eps))
        return first / (2.5 * gap * (1 / (0.5 * eps**2) + 1 / (0.5 * eps)))

    others = np.geomspace(norms[-1] * 1.0001, norms[0], 400)
    assert ratio(found) >= max(ratio(float(eps)) for eps in others) * (1 - 1e-9)
    verdict = verify(ROUNDS, run, slopes=False)
    assert verdict.ratio == pytest.approx(ratio(found), rel=1e-9)
    own = replace(run, target=0.3)
    assert context_of(ROUNDS, own, seen).constant("target").value == 0.3


def test_relaxed_smoothness_is_read_of_the_mean_where_the_theorem_says_so() -> None:
    outvoted = descent(ClippingProblem("wrong_majority", 5, 2.0, 1.0, grad_max=4.0, gap=40.0))
    assert context_of(DECREASE, outvoted).value("L0") == pytest.approx(2 / 9)
    assert context_of(theorem("episode_relaxed_smooth"), outvoted).value("L0") == 2
    # f = x^4/4 twice over, apart by +-3 x^2: the mean has |f''| - L1 |f'| = 3 x^2 - L1 |x|^3, at most 4/L1^2
    quartics = Polynomial([[0.25, 0, 3, 0, 0], [0.25, 0, -3, 0, 0]], L1=1.0)
    assert context_of(DECREASE, descent(quartics)).value("L0") == pytest.approx(4.0)
    assert context_of(theorem("episode_relaxed_smooth"), descent(quartics)).value("L0") > 4
    bowl = descent(Quadratic([1.0, 3.0], np.zeros((2, 1))))
    assert (context_of(DECREASE, bowl).value("L0"), context_of(DECREASE, bowl).value("L1")) == (3.0, 0.5)
    assert context_of(DECREASE, bowl).value("clip") == 0.5
    assert context_of(DECREASE, descent(options={})).value("clip") == 2.5


def test_the_promise_of_a_round_is_the_lesser_of_two() -> None:
    run = descent(rounds=3)
    verdict = verify(DECREASE, run, slopes=False)
    x, total = 3.0, 0.0
    for _ in range(3):
        g = np.sinh(x)
        total += min(0.5 * g**2, 0.5 * abs(g))
        x -= min(0.5, 0.5 / abs(g)) * g
    assert verdict.measured is not None
    assert verdict.measured.value == pytest.approx(total / 3, rel=1e-12)


@pytest.mark.parametrize(("run", "reason"), [
    (lambda: descent(Exponential([[0.0], [0.0]], noise=0.1)), "exact gradients"),
    (lambda: descent(participation={"kind": "uniform", "C": 0.5}), "all clients"),
    (lambda: descent(eta_s=0.5), "eta_s = 1"),
    (lambda: descent(Exponential([[0.0], [0.0]], weights=[0.3, 0.7])), "all clients equal weights"),
    (lambda: descent(eta=0.6), "outside the condition"),
    (lambda: descent(options={"gamma": 0.6}), "outside the condition"),
])  # fmt: skip
def test_what_a_run_breaks_is_named(run: Any, reason: str) -> None:
    verdict = verify(DECREASE, run(), slopes=False)
    assert verdict.answer == "not applicable"
    assert reason in verdict.reason


@pytest.mark.parametrize(("run", "reason"), [
    (lambda: descent(participation={"kind": "uniform", "C": 0.5}), "hardest problem of a class"),
    (lambda: instance("ramp", 2.0, 3.0), "its instance is the wrong_majority"),
    (lambda: instance("ramp", 0.5, 9.0, x0=[3.0]), "its instance starts at"),
    (lambda: instance("ramp", 0.5, 9.0, numbers={"grad_max": None}), "no grad_max"),
    (lambda: instance("ramp", 0.5, 9.0, numbers={"gap": 10.0}), "outside the condition"),
])  # fmt: skip
def test_a_lower_bound_speaks_of_the_instance_that_is_hard_for_the_steps(run: Any, reason: str) -> None:
    verdict = verify(LOWER, run(), slopes=False)
    assert verdict.answer == "not applicable"
    assert reason in verdict.reason


def test_a_lower_bound_needs_as_many_rounds_as_it_claims() -> None:
    long, short = (verify(LOWER, instance("valley", 3.0, 20.0, rounds=n), slopes=False) for n in (60, 5))
    assert long.answer == "holds", long.reason
    assert short.answer == "undecided"
    bound = long.prediction
    assert bound is not None
    assert lower_bound_check(Estimate(np.inf, 3.0, np.inf), bound, 60).outcome == "undecided"


def test_normal_noise_is_sometimes_longer_than_sigma() -> None:
    from boundkit.verification.applicability import reasons_not_applicable

    normal = Exponential([[0.0], [0.0]], noise=1.0)
    for name in ORDERS:
        runs = [
            make_run(theorem(name).algorithm, p, rounds=5, eta=0.1, x0=[1.0])
            for p in (normal, normal.with_bounded_noise())
        ]
        first, second = (reasons_not_applicable(theorem(name), run) for run in runs)
        assert any("never exceeds sigma" in reason for reason in first)
        assert not any("never exceeds sigma" in reason for reason in second)


def test_a_start_at_rest_has_no_target() -> None:
    with pytest.raises(BoundkitError, match="gradient is 0"):
        verify(ROUNDS, descent(x0=[0.0]), slopes=False)
