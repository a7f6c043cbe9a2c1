"""Verdicts over the catalogue and on single runs."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import boundkit as bk
from boundkit.algebra.notation import tau
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from boundkit.theorems import catalogue, theorem
from boundkit.verification import engine_options, verifier
from boundkit.verification.checks import Check
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.representatives import aside
from tests.verification.cached_runs import each_run_once
from tests.verification.planted_errors import scaled, times
from tests.verification.testable_theorems import basic, one_of_each_claim, runnable, up_to_constants

__all__ = ["each_run_once"]

CATALOGUE = catalogue()
BASIC = list(basic())
FULL, PARTIAL = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial")


def noisy(problem: Any = None, **settings: Any) -> Run:
    given = {"rounds": 40, "eta": 0.01, "local_steps": 3, "participation": {"kind": "uniform", "C": 0.5}}
    problem = problem or Quadratic.random(4, 2, seed=1, dense=True, noise=0.5)
    return make_run("fedavg", problem, x0=np.ones(problem.d), **(given | settings))


def as_json(verdict: Verdict) -> Any:
    return json.loads(json.dumps(verdict.to_dict(), allow_nan=False))


def check_of(verdict: Verdict, name: str) -> Check:
    return next(c for c in verdict.checks if c.name == name)


def test_every_theorem_of_the_catalogue_can_be_tested_and_an_unknown_algorithm_cannot() -> None:
    assert {*runnable(), *up_to_constants()} == set(CATALOGUE)
    for name in ("fedavg_nonconvex", "scaffold_nonconvex_partial"):
        verdict = verify(replace(CATALOGUE[name], algorithm="fedsomething"))
        assert verdict.answer == as_json(verdict)["verdict"] == "not applicable"
        assert verdict.reason.startswith("No run can test the theorem: ")
        assert "the algorithm fedsomething is not implemented" in verdict.reason


@each("name", aside(BASIC, *(n for n in BASIC if n not in {*one_of_each_claim(), "fedavg_nonconvex_tuned"})))
def test_every_theorem_holds_on_its_instances(name: str) -> None:
    verdict = verify(CATALOGUE[name])
    assert verdict.answer == "holds", verdict.reason
    assert len(verdict.cases) >= 7
    ratios = []
    for case in verdict.cases:
        assert case.answer == "holds"
        if case.ratio is not None:
            assert case.interval is not None
            assert 0 <= case.interval[0] <= case.ratio <= case.interval[1] <= 1 + 1e-9
            ratios.append((case.ratio, case.run))
    assert len(ratios) >= len(verdict.cases) - 1
    assert (verdict.ratio, verdict.run) == max(ratios, key=lambda pair: pair[0])
    assert max(ratios, key=lambda pair: pair[0])[0] > 0.2
    written = as_json(verdict)
    keys = ("theorem", "verdict", "kind", "constants", "ratio", "interval", "untested", "record")
    assert set(keys) <= set(written)
    assert written["constants"] in ("exact", "local")
    text = verdict.to_text()
    assert name in text
    assert all(c.name in text for c in verdict.cases)
    if CATALOGUE[name].rules:
        return
    assert verdict.curves is not None
    assert verdict.measured is not None
    assert verdict.prediction is not None
    assert verdict.curves.horizon[-1] == len(verdict.curves.horizon) == verdict.run["rounds"]
    assert verdict.curves.measured[-1] == pytest.approx(verdict.measured.value)
    last = {label: values[-1] for label, values in verdict.curves.terms.items()}
    assert last == pytest.approx({label: float(v) for label, v in verdict.prediction.terms.items()})
    total = sum(verdict.curves.terms.values())
    assert (verdict.curves.measured <= total * (1 + 1e-9)).all()  # the bound holds at every horizon


def test_the_average_omits_the_last_iterate() -> None:
    run = noisy(schedule=[[0, 1, 2, 3]])
    run.problem.noise = 0.0
    verdict = verify(PARTIAL, run, slopes=False)
    series = bk.simulate(run).observed["gradient_norm_squared"][0]
    assert verdict.measured is not None
    assert verdict.measured.value == pytest.approx(series[:-1].mean(), rel=1e-12)
    assert abs(series.mean() / series[:-1].mean() - 1) > 1e-3


def test_sampled_engines_agree_with_the_exact_one() -> None:
    exact = verify(PARTIAL, noisy(), slopes=False).ratio
    assert exact is not None
    for engine in ("step", "collapsed"):
        verdict = verify(PARTIAL, noisy(), engine=engine, replicas=200, slopes=False)
        assert (verdict.answer, verdict.engine, verdict.replicas) == ("holds", engine, 200)
        assert verdict.interval is not None
        assert verdict.interval[0] < exact < verdict.interval[1]
        agreement = check_of(verdict, "engines agree")
        assert agreement.outcome == "holds"
        assert agreement.numbers["z"] < 3
    single = check_of(verify(PARTIAL, noisy(), engine="step", replicas=1, slopes=False), "engines agree")
    assert single.outcome == "not tested"
    assert "no standard error" in single.sentence


def test_engines_that_disagree_violate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampled run without a fifth of its noise, which the exact moments detect."""

    def less_noise(run: Run, *args: Any, **options: Any) -> Trajectory:
        problem = Quadratic([1.0] * 4, np.zeros((4, 2)), noise=0.8 * run.problem.noise)
        return trajectory(replace(run, problem=problem), *args, **options)

    monkeypatch.setattr(engine_options, "trajectory", less_noise)
    run = noisy(Quadratic([1.0] * 4, np.zeros((4, 2)), noise=5.0), rounds=200)
    verdict = verify(PARTIAL, run, engine="step", replicas=400, slopes=False)
    assert verdict.answer == "violated"
    assert "engines agree" in verdict.reason


def test_too_few_replicas_are_undecided_unless_a_slope_is_violated() -> None:
    problem = SmoothNonconvex.random(4, 2, seed=1, noise=1.0)
    one = verify(PARTIAL, noisy(problem), replicas=1, slopes=False)
    assert (one.answer, one.interval) == ("undecided", None)
    assert "use more replicas" in one.reason
    as_json(one)
    measured = verify(PARTIAL, noisy(problem), replicas=200, slopes=False)
    assert measured.ratio is not None
    verdict = verify(scaled(PARTIAL, measured.ratio), noisy(problem), replicas=20, slopes=False)
    assert verdict.answer == "undecided"
    assert verdict.interval is not None
    assert verdict.interval[0] < 1 < verdict.interval[1]
    assert verify(times(PARTIAL, "client drift", 1 / tau), noisy(problem), replicas=1).answer == "violated"


def test_divergence_inside_the_condition_is_a_violation() -> None:
    run = make_run("fedavg", Quadratic([1.0, 1.0], [[0.0], [1.0]]), rounds=4000, eta=2.5)
    verdict = verify(replace(FULL, step_size=()), run, slopes=False)
    assert (verdict.answer, verdict.ratio) == ("violated", None)
    assert "diverged in round" in verdict.reason
    as_json(verdict)


def test_a_claim_about_small_steps_is_not_refuted_by_a_run_that_diverges() -> None:
    problem = Quadratic([1.0, 0.5], [[0.0], [2.0]])
    for name in ("fedavg_active_bias", "fedavg_all_bias", "fedavg_surrogate_optimum"):
        run = make_run("fedavg", problem, rounds=400, eta=5.0, local_steps=5)
        assert verify(theorem(name), run, slopes=False).answer == "holds", name


def test_a_rate_that_overflows_is_outside_the_condition() -> None:
    run = make_run("fedavg", Quadratic([1.0, 0.5], [[0.0], [2.0]]), rounds=400, eta=5.0, local_steps=5)
    verdict = verify(theorem("fedavg_pl"), run, slopes=False)
    assert verdict.answer == "not applicable"
    assert "outside the condition" in verdict.reason


def test_a_run_whose_dissimilarity_diverges_is_tested_on_the_rounds_before() -> None:
    """From an unstable fixed point, so that rounding decides when it leaves; no round is negative."""
    problem = Quadratic([1.0, -0.9998], [[1.0], [-1.0]])
    run = make_run("fedavg", problem, rounds=20_000, eta=6e-4, local_steps=400, x0=[-8.0])
    verdict = verify(FULL, run, slopes=False)
    assert verdict.answer == "not applicable"
    assert "no constant bounds it" in verdict.reason
    assert min(verdict.checks[0].numbers["ratio"], verdict.constants["sigma_g"].value) > 0
    false = verify(scaled(FULL, 1e-12), run, slopes=False)
    assert false.answer == "violated"


def test_a_theorem_that_applies_to_no_instance_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "reasons_not_applicable", lambda theorem, run: ["planted"])
    verdict = verify(FULL)
    assert verdict.answer == "not applicable"
    assert {c.answer for c in verdict.cases} == {"not applicable"}
    order = verifier._ORDER
    assert list(order) == ["violated", "undecided", "holds", "not applicable"]


def test_a_lower_bound_is_violated_from_below() -> None:
    run = noisy(participation="full")
    verdict = verify(replace(FULL, kind="lower"), run)
    assert verdict.answer == "violated"
    assert "at least 1 is claimed" in verdict.reason
    assert [c.name for c in verdict.checks] == ["lower"]
    assert verdict.ratio is not None
    assert verify(replace(scaled(FULL, verdict.ratio / 2), kind="lower"), run).ratio == pytest.approx(2)
    worst = verify(theorem("fedavg_strongly_convex_drift_limit_lower"))
    ratios = [c.ratio for c in worst.cases if c.ratio is not None]
    assert worst.answer == "holds"
    assert worst.ratio == min(ratios) < max(ratios)


def test_an_order_level_bound_is_tested_by_its_scaling_only() -> None:
    single = verify(replace(FULL, kind="order"), noisy(participation="full"))
    assert single.answer == "not applicable"
    assert "its constants are unspecified" in single.reason
    statement = theorem("fedavg_nonconvex_partial_rate")
    assert verify(statement).answer == "holds"
    verdict = verify(times(statement, "stochastic noise", tau ** Rational(-1, 2)))
    assert verdict.answer == "violated"
    assert "slope of the bound in tau" in verdict.reason
