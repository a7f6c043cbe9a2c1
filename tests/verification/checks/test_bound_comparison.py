"""The upper check: below, above, astride, and exactly at the bound."""

import math
from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from boundkit.analysis.predict import Prediction, predict
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.engines import Exact
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem
from boundkit.verification.checks.bound_comparison import upper_bound_check
from boundkit.verification.constants import theorem_arguments
from boundkit.verification.default_instances import default_runs
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import scaled, without
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = free_of_rules()
SGD, PARTIAL = theorem("sgd_nonconvex"), theorem("fedavg_nonconvex_partial")
SHARED = theorem("sgd_strongly_convex")


def bound(total: float) -> Prediction:
    """2 gap/(eta T) with everything else at 0 or 1."""
    return predict(SGD, m=1, T=2, eta=1, L=1, sigma=0, gap=total)


def estimate(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, (high - low) / 5)


@pytest.mark.parametrize(
    ("measured", "outcome"),
    [
        (estimate(1.0, 1.0), "holds"),
        (estimate(4.0, 4.0), "holds"),  # the ratio 1 itself
        (estimate(4.0 * (1 + 5e-10), 4.0 * (1 + 5e-10)), "holds"),  # rounding
        (estimate(4.0 * (1 + 2e-9), 4.0 * (1 + 2e-9)), "violated"),
        (estimate(3.0, 3.9), "holds"),
        (estimate(3.0, 4.1), "undecided"),
        (estimate(4.1, 5.0), "violated"),
        (Estimate(1.0, -math.inf, math.inf, math.inf), "undecided"),
        (Estimate(9.0, -math.inf, math.inf, math.inf), "undecided"),
    ],
)
def test_outcomes(measured: Estimate, outcome: str) -> None:
    check = upper_bound_check(measured, bound(4.0))
    assert check.outcome == outcome
    assert check.numbers["ratio"] == pytest.approx(measured.value / 4)
    assert check.numbers["bound"] == 4
    if math.isinf(measured.high):
        assert check.numbers["interval"] is None


@pytest.mark.parametrize(("measured", "outcome"), [(0.0, "holds"), (1e-20, "holds"), (1e-3, "violated")])
def test_a_bound_of_zero(measured: float, outcome: str) -> None:
    check = upper_bound_check(Estimate(measured, measured, measured), bound(0.0), zero=1e-18)
    assert check.outcome == outcome
    assert check.numbers["ratio"] is None


@pytest.mark.parametrize("units", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("lengths", [1e-6, 1.0, 1e3])
def test_a_bound_of_zero_knows_the_units_of_the_run(units: float, lengths: float) -> None:
    """Losses and lengths that are scaled change no verdict: neither at the optimum nor away from it."""
    where = lengths / 3
    problem = Quadratic([[units, 0.3 * units]] * 3, [[where, where / 7]] * 3)
    settings: dict[str, Any] = {"rounds": 3, "eta": 0.1 / units}
    rests = make_run(SGD.algorithm, problem, x0=problem.centre * (1 + 1e-15), **settings)
    moves = make_run(SGD.algorithm, problem, x0=problem.centre + 1e-3 * lengths, **settings)
    for statement in (SGD, SHARED):
        nothing = scaled(statement, 0)
        assert verify(nothing, rests, slopes=False).answer == "holds"
        assert verify(nothing, moves, slopes=False).answer == "violated"


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bound_divided_by_enough_is_violated_and_by_less_is_not(name: str) -> None:
    exact = [run for _, run in default_runs(CATALOGUE[name]) if isinstance(run.problem, Quadratic)]
    for run in exact[:3]:  # no interval blurs where they turn
        whole = verify(CATALOGUE[name], run, slopes=False)
        assert whole.ratio is not None
        for factor, answer in ((1.001, "holds"), (0.97, "violated")):
            planted = scaled(CATALOGUE[name], Rational(whole.ratio) * Rational(factor))
            verdict = verify(planted, run, slopes=False)
            assert next(c.outcome for c in verdict.checks if c.name == "upper") == answer
            assert verdict.ratio == pytest.approx(1 / factor, rel=1e-6)


def test_an_exact_ratio_of_one_holds() -> None:
    """sgd_nonconvex is met with equality by a quadratic at eta = 1/L: one step reaches the optimum."""
    verdict = verify(SGD, slopes=False)
    assert verdict.ratio == pytest.approx(1, abs=1e-12)
    assert verdict.answer == "holds"


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_missing_initial_gap_is_caught_by_the_upper_check(name: str) -> None:
    run = next(r for label, r in default_runs(CATALOGUE[name]) if label.startswith("alike clients, no error"))
    run = replace(run, eta=run.eta / 3)  # at the largest step it may arrive at once
    verdict = verify(without(CATALOGUE[name], "initial gap"), run, slopes=False)
    assert verdict.answer == "violated"
    assert "upper: measured" in verdict.reason


@pytest.mark.parametrize(
    "name", [n for n, t in CATALOGUE.items() if "partial participation" in t.bound.terms]
)
def test_a_missing_participation_term_is_caught_in_a_long_run(name: str) -> None:
    """At a small step every other term is small after many rounds."""
    problem = Quadratic.random(8, 2, seed=1, shared=True, curvature=(0.9, 1.0))
    run = make_run("fedavg", problem, rounds=10_000_000, eta=1e-4, local_steps=2, x0=problem.centre,
                   participation={"kind": "uniform", "C": 0.125})  # fmt: skip
    statement = without(CATALOGUE[name], "partial participation")
    total = float(predict(statement, **theorem_arguments(statement, run, problem.constants(run.x0))).total)
    floor = Exact(run).stationary()[statement.claim.observable]
    assert floor > 2 * total  # and so is the average over rounds enough: it starts at the optimum
    whole = float(
        predict(CATALOGUE[name], **theorem_arguments(CATALOGUE[name], run, problem.constants(run.x0))).total
    )
    assert floor < whole


def test_default_instances_are_named_in_the_verdict() -> None:
    verdict = verify(PARTIAL, slopes=False)
    assert [c.name for c in verdict.cases] == [name for name, _ in default_runs(PARTIAL)]
