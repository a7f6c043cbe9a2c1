"""Comparison with the bound: below, above, across, and exactly at it."""

import math
from dataclasses import replace

import pytest
from sympy import Rational

from boundkit.analysis.predict import Prediction, predict
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import ExactEngine
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.checks.bound_comparison import upper_bound_check
from boundkit.verification.constants import theorem_arguments
from boundkit.verification.default_instances import default_runs
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import scaled, without
from tests.verification.testable_theorems import FURTHER, free_of_rules, statements

CATALOGUE = free_of_rules()
SGD, PARTIAL = theorem("sgd_nonconvex"), theorem("fedavg_nonconvex_partial")


def bound(total: float) -> Prediction:
    """2 gap/(eta T) with everything else at 0 or 1."""
    return predict(SGD, m=1, T=2, eta=1, L=1, sigma=0, gap=total)


def test_outcomes() -> None:
    for low, high, outcome in (
        (1.0, 1.0, "holds"),
        (4.0, 4.0, "holds"),
        (4.0 * (1 + 5e-10), 4.0 * (1 + 5e-10), "holds"),  # rounding
        (4.0 * (1 + 2e-9), 4.0 * (1 + 2e-9), "violated"),
        (3.0, 3.9, "holds"),
        (3.0, 4.1, "undecided"),
        (4.1, 5.0, "violated"),
    ):
        value = (low + high) / 2
        check = upper_bound_check(Estimate(value, low, high, (high - low) / 5), bound(4.0))
        assert check.outcome == outcome, (low, high)
        assert check.numbers["ratio"] == pytest.approx(value / 4)
        assert check.numbers["bound"] == 4
    for value in (1.0, 9.0):
        check = upper_bound_check(Estimate(value, -math.inf, math.inf, math.inf), bound(4.0))
        assert (check.outcome, check.numbers["interval"]) == ("undecided", None)
    never = Estimate(math.inf, math.inf, math.inf)  # a target that is not reached in the run's rounds
    for rounds, outcome in ((3, "undecided"), (4, "violated"), (5, "violated")):
        assert upper_bound_check(never, bound(4.0), rounds=rounds).outcome == outcome


def test_a_bound_of_zero_holds_up_to_rounding_in_any_units() -> None:
    """Losses and lengths that are scaled change no verdict, neither at the optimum nor away from it."""
    for measured, outcome in ((0.0, "holds"), (1e-20, "holds"), (1e-3, "violated")):
        check = upper_bound_check(Estimate(measured, measured, measured), bound(0.0), zero=1e-18)
        assert (check.outcome, check.numbers["ratio"]) == (outcome, None)
    for loss in (1e-12, 1.0, 1e12):
        for length in (1e-6, 1.0, 1e3):
            problem = Quadratic([[loss, 0.3 * loss]] * 3, [[length / 3, length / 21]] * 3)
            for x0, answer in (
                (problem.centre * (1 + 1e-15), "holds"),
                (problem.centre + 1e-3 * length, "violated"),
            ):
                run = make_run(SGD.algorithm, problem, x0=x0, rounds=3, eta=0.1 / loss)
                for statement in (SGD, theorem("sgd_strongly_convex")):
                    assert verify(scaled(statement, 0), run, slopes=False).answer == answer


@pytest.mark.parametrize("further", FURTHER)
def test_the_verdict_changes_where_the_bound_meets_the_measurement(further: bool) -> None:
    for name, statement in statements(further).items():
        exact = [run for _, run in default_runs(statement) if isinstance(run.problem, Quadratic)]
        for run in exact[: 3 if further or statement is PARTIAL else 1]:
            ratio = verify(statement, run, slopes=False).ratio
            assert ratio is not None
            for factor, answer in ((1.001, "holds"), (0.97, "violated")):
                planted = scaled(statement, Rational(ratio) * Rational(factor))
                verdict = verify(planted, run, slopes=False)
                assert next(c.outcome for c in verdict.checks if c.name == "upper") == answer, name
                assert verdict.ratio == pytest.approx(1 / factor, rel=1e-6)


def test_an_exact_ratio_of_one_holds() -> None:
    """sgd_nonconvex is attained by a quadratic at eta = 1/L: one step reaches the optimum."""
    verdict = verify(SGD, slopes=False)
    assert verdict.ratio == pytest.approx(1, abs=1e-12)
    assert verdict.answer == "holds"


@pytest.mark.parametrize("further", FURTHER)
def test_a_missing_initial_gap_is_detected(further: bool) -> None:
    for name, statement in statements(further).items():
        runs = default_runs(statement)
        run = next(run for label, run in runs if label.endswith("only the initial error"))
        run = replace(run, eta=run.eta / 3)  # at the largest step size it may converge in one round
        verdict = verify(without(statement, "initial gap"), run, slopes=False)
        assert verdict.answer == "violated", name
        assert "upper: measured" in verdict.reason


def test_a_missing_participation_term_is_detected_in_a_long_run() -> None:
    """At a small step size every other term is small after many rounds."""
    problem = Quadratic.random(8, 2, seed=1, shared=True, curvature=(0.9, 1.0))
    run = make_run("fedavg", problem, rounds=10_000_000, eta=1e-4, local_steps=2, x0=problem.centre,
                   participation={"kind": "uniform", "C": 0.125})  # fmt: skip
    stationary = ExactEngine(run).stationary()
    for statement in CATALOGUE.values():
        if "partial participation" in statement.bound.terms:
            less, whole = (
                float(predict(t, **theorem_arguments(t, run, problem.constants(run.x0))).total)
                for t in (without(statement, "partial participation"), statement)
            )
            assert 2 * less < stationary[statement.claim.observable] < whole, statement.name
