"""Clipping: planted mistakes, violated assumptions, and constants by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra.notation import L1, clip, sigma, target, tau
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.checks.bound_comparison import lower_bound_check
from boundkit.verification.checks.order_level import order_checks, sweeps_of
from boundkit.verification.checks.slopes import slope_checks
from boundkit.verification.families import context_of
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times

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


def test_a_wrong_exponent_of_an_order_level_bound_is_a_violation() -> None:
    right = theorem("celgc_relaxed_smooth")
    sweeps = sweeps_of(right)
    for name, factor in (("target", (target / sigma) ** 2), ("tau", 1 / tau)):
        wrong = times(right, "stochastic noise", factor)
        (check,) = order_checks(wrong, replace(sweeps, values={name: sweeps.values[name]}))
        assert check.outcome == "violated", name


@pytest.mark.slow
def test_terms_have_their_exponents_and_a_wrong_one_is_a_violation() -> None:
    checks, _ = slope_checks(ROUNDS)
    assert {(c.numbers["term"], c.numbers["letter"]) for c in checks} == {
        ("initial gap", "eta"), ("initial gap", "target"), ("clipping", "clip"), ("clipping", "target"),
    }  # fmt: skip
    assert {c.outcome for c in checks} == {"holds"}
    wrong, _ = slope_checks(times(ROUNDS, "clipping", clip * L1))
    assert [c.outcome for c in wrong if c.numbers["letter"] == "clip"] == ["violated"]


def test_the_default_target_has_the_largest_ratio() -> None:
    run = descent()
    observed = trajectory(run)
    norms = observed.observed["gradient_norm_squared"][0] ** 0.5
    target_value = context_of(ROUNDS, run, observed).constant("target").value
    gap = run.problem.constants(run.x0)["gap"].value

    def ratio(eps: float) -> float:
        first = int(np.argmax(norms <= eps))
        return first / (gap * (4 / 3 / (0.5 * eps**2) + 9 / 7 / (0.5 * eps)))

    others = np.geomspace(norms[-1] * 1.0001, norms[0], 400)
    assert ratio(target_value) >= max(ratio(float(eps)) for eps in others) * (1 - 1e-9)
    verdict = verify(ROUNDS, run, slopes=False)
    assert verdict.ratio == pytest.approx(ratio(target_value), rel=1e-9)
    own = replace(run, target=0.3)
    assert context_of(ROUNDS, own, observed).constant("target").value == 0.3


def test_relaxed_smoothness_of_the_mean_loss_and_of_the_clients() -> None:
    outvoted = descent(ClippingProblem("wrong_majority", 5, 2.0, 1.0, grad_max=4.0, gap=40.0))
    assert context_of(DECREASE, outvoted).value("L0") == pytest.approx(2 / 9)
    assert context_of(theorem("episode_relaxed_smooth"), outvoted).value("L0") == 2
    # f = x^4/4 twice over, apart by +-3 x^2: the mean has |f''| - L1 |f'| = 3 x^2 - L1 |x|^3, at most 4/L1^2
    quartics = Polynomial([[0.25, 0, 3, 0, 0], [0.25, 0, -3, 0, 0]], L1=1.0)
    assert context_of(DECREASE, descent(quartics)).value("L0") == pytest.approx(4.0)
    assert context_of(theorem("episode_relaxed_smooth"), descent(quartics)).value("L0") > 4
    bowl = descent(Quadratic([1.0, 3.0], np.zeros((2, 1))))
    assert (context_of(DECREASE, bowl).value("L0"), context_of(DECREASE, bowl).value("L1")) == (3.0, 2e-6)
    assert context_of(DECREASE, bowl).value("clip") == 0.5
    assert context_of(DECREASE, descent(options={})).value("clip") == 2.5


def test_the_guaranteed_decrease_is_the_lesser_of_two_terms() -> None:
    run = descent(rounds=3)
    verdict = verify(DECREASE, run, slopes=False)
    x, total = 3.0, 0.0
    for _ in range(3):
        g = np.sinh(x)
        total += min(0.5 * g**2, 0.5 * abs(g))
        x -= min(0.5, 0.5 / abs(g)) * g
    assert verdict.measured is not None
    assert verdict.measured.value == pytest.approx(total / 3, rel=1e-12)


NOT_APPLICABLE: list[tuple[Callable[[], Run], str]] = [
    (lambda: descent(Exponential([[0.0], [0.0]], noise=0.1)), "exact gradients"),
    (lambda: descent(participation={"kind": "uniform", "C": 0.5}), "all clients"),
    (lambda: descent(eta_s=0.5), "eta_s = 1"),
    (lambda: descent(Exponential([[0.0], [0.0]], weights=[0.3, 0.7])), "all clients equal weights"),
    (lambda: descent(eta=0.6), "outside the condition"),
    (lambda: descent(options={"gamma": 0.6}), "outside the condition"),
]
NOT_THE_INSTANCE: list[tuple[Callable[[], Run], str]] = [
    (lambda: descent(participation={"kind": "uniform", "C": 0.5}), "hardest problem of a class"),
    (lambda: instance("ramp", 2.0, 3.0), "its instance is the wrong_majority"),
    (lambda: instance("ramp", 0.5, 9.0, x0=[3.0]), "its instance starts at"),
    (lambda: instance("ramp", 0.5, 9.0, numbers={"grad_max": None}), "no grad_max"),
    (lambda: instance("ramp", 0.5, 9.0, numbers={"gap": 10.0}), "outside the condition"),
]


def test_violated_assumptions_are_named() -> None:
    for statement, table in ((DECREASE, NOT_APPLICABLE), (LOWER, NOT_THE_INSTANCE)):
        for run, reason in table:
            verdict = verify(statement, run(), slopes=False)
            assert verdict.answer == "not applicable", reason
            assert reason in verdict.reason


def test_a_run_shorter_than_a_lower_bound_is_undecided() -> None:
    long, short = (verify(LOWER, instance("valley", 3.0, 20.0, rounds=n), slopes=False) for n in (60, 5))
    assert long.answer == "holds", long.reason
    assert short.answer == "undecided"
    bound = long.prediction
    assert bound is not None
    assert lower_bound_check(Estimate(np.inf, 3.0, np.inf), bound, 60).outcome == "undecided"


def test_normal_noise_exceeds_sigma() -> None:
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
