"""Verdicts over the catalogue and on single runs."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import tau
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.trajectory import Trajectory
from boundkit.theorems import catalogue, theorem
from boundkit.verification import engine_options, verifier
from boundkit.verification.checks.check import Check
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.representatives import aside
from tests.verification.cached_runs import each_run_once
from tests.verification.planted_errors import scaled, times
from tests.verification.testable_theorems import basic, runnable, up_to_constants

__all__ = ["each_run_once"]

CATALOGUE = catalogue()
RUNNABLE = list(runnable())
BASIC = list(basic())
FULL, PARTIAL = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial")


def noisy(problem: Any = None, **settings: Any) -> Run:
    given = {"rounds": 40, "eta": 0.01, "local_steps": 3, "participation": {"kind": "uniform", "C": 0.5}}
    problem = problem or Quadratic.random(4, 2, seed=1, dense=True, noise=0.5)
    return make_run("fedavg", problem, x0=np.ones(problem.d), **(given | settings))


def without_nan(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in JSON")

    return json.loads(text, parse_constant=refuse)


def test_most_of_what_fedavg_and_sgd_promise_can_be_run() -> None:
    assert len(RUNNABLE) >= 5
    assert {"sgd_nonconvex", "fedavg_nonconvex", "fedavg_convex_partial"} <= set(RUNNABLE)


def test_every_theorem_of_the_catalogue_can_be_run() -> None:
    assert {*RUNNABLE, *up_to_constants()} == set(CATALOGUE)


@pytest.mark.parametrize("name", ["fedavg_nonconvex", "scaffold_nonconvex_partial"])
def test_what_cannot_be_run_is_not_applicable_and_says_why(name: str) -> None:
    verdict = verify(replace(CATALOGUE[name], algorithm="fedsomething"))
    assert verdict.answer == "not applicable"
    assert "the algorithm fedsomething is not implemented" in verdict.reason
    assert verdict.reason.startswith("No run can test the theorem: ")
    assert without_nan(json.dumps(verdict.to_dict()))["verdict"] == "not applicable"


@pytest.mark.parametrize("name", aside(BASIC, "fedavg_nonconvex_partial_tuned"))
def test_every_theorem_holds_on_its_instances(name: str) -> None:
    verdict = verify(CATALOGUE[name])
    assert verdict.answer == "holds", verdict.reason
    assert len(verdict.cases) >= 7
    for case in verdict.cases:
        assert case.answer == "holds"
        if case.ratio is None:  # nothing measured, and nothing promised
            continue
        assert 0 <= case.ratio <= 1 + 1e-9
        assert case.interval is not None
        assert case.interval[0] <= case.ratio <= case.interval[1] <= 1 + 1e-9
    assert sum(case.ratio is not None for case in verdict.cases) >= len(verdict.cases) - 1
    assert verdict.ratio == max(c.ratio for c in verdict.cases if c.ratio is not None)
    assert verdict.ratio is not None
    assert verdict.ratio > 0.2  # the instances are not all far below
    told = without_nan(json.dumps(verdict.to_dict()))
    for key in ("theorem", "verdict", "kind", "constants", "ratio", "interval", "untested", "record"):
        assert key in told
    assert told["constants"] in ("exact", "local")
    text = verdict.to_text()
    assert name in text
    assert all(c.name in text for c in verdict.cases)


@pytest.mark.parametrize("name", [n for n in BASIC if not CATALOGUE[n].rules])
def test_curves_end_at_the_numbers_of_the_verdict(name: str) -> None:
    verdict = verify(CATALOGUE[name], slopes=False)
    assert verdict.curves is not None
    assert verdict.measured is not None
    assert verdict.prediction is not None
    assert verdict.curves.horizon[-1] == len(verdict.curves.horizon) == verdict.run["rounds"]
    assert verdict.curves.measured[-1] == pytest.approx(verdict.measured.value)
    last = {label: values[-1] for label, values in verdict.curves.terms.items()}
    assert last == pytest.approx({label: float(v) for label, v in verdict.prediction.terms.items()})
    total = sum(verdict.curves.terms.values())
    assert (verdict.curves.measured <= total * (1 + 1e-9)).all()  # the bound holds at every horizon


def test_the_average_leaves_the_last_iterate_out() -> None:
    run = noisy(schedule=[[0, 1, 2, 3]])
    run.problem.noise = 0.0
    verdict = verify(PARTIAL, run, slopes=False)
    seen = bk.simulate(run).observed["gradient_norm_squared"][0]
    assert verdict.measured is not None
    assert verdict.measured.value == pytest.approx(seen[:-1].mean(), rel=1e-12)
    assert abs(seen.mean() / seen[:-1].mean() - 1) > 1e-3


def test_sampled_engines_say_their_interval_and_agree_with_the_exact_one() -> None:
    exact = verify(PARTIAL, noisy(), slopes=False)
    for engine in ("step", "collapsed"):
        verdict = verify(PARTIAL, noisy(), engine=engine, replicas=200, slopes=False)
        assert verdict.answer == "holds"
        assert (verdict.engine, verdict.replicas) == (engine, 200)
        assert verdict.interval is not None
        assert exact.ratio is not None
        assert verdict.interval[0] < exact.ratio < verdict.interval[1]
        agreement = next(c for c in verdict.checks if c.name == "engines agree")
        assert agreement.outcome == "holds"
        assert agreement.numbers["z"] < 3


def test_one_replica_is_not_said_to_agree() -> None:
    verdict = verify(PARTIAL, noisy(), engine="step", replicas=1, slopes=False)
    agreement = next(c for c in verdict.checks if c.name == "engines agree")
    assert agreement.outcome == "not tested"
    assert "no standard error" in agreement.sentence


def test_engines_that_disagree_violate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sampled run that lost a tenth of its noise: the exact moments beside it catch it."""

    def quieter(run: Run, *args: Any) -> Trajectory:
        problem = Quadratic([1.0] * 4, np.zeros((4, 2)), noise=0.8 * run.problem.noise)
        return trajectory(replace(run, problem=problem), *args)

    monkeypatch.setattr(engine_options, "trajectory", quieter)
    run = noisy(Quadratic([1.0] * 4, np.zeros((4, 2)), noise=5.0), rounds=200)
    verdict = verify(PARTIAL, run, engine="step", replicas=400, slopes=False)
    assert verdict.answer == "violated"
    assert "engines agree" in verdict.reason


def test_too_few_replicas_leave_the_answer_undecided() -> None:
    problem = SmoothNonconvex.random(4, 2, seed=1, noise=1.0)
    one = verify(PARTIAL, noisy(problem), replicas=1, slopes=False)
    assert one.answer == "undecided"
    assert "use more replicas" in one.reason
    assert one.interval is None
    without_nan(json.dumps(one.to_dict()))
    measured = verify(PARTIAL, noisy(problem), replicas=200, slopes=False)
    assert measured.ratio is not None
    planted = scaled(PARTIAL, measured.ratio)
    astride = verify(planted, noisy(problem), replicas=20, slopes=False)
    assert astride.answer == "undecided"
    assert astride.interval is not None
    assert astride.interval[0] < 1 < astride.interval[1]


def test_a_violated_slope_outranks_an_undecided_run() -> None:
    problem = SmoothNonconvex.random(4, 2, seed=1, noise=1.0)
    verdict = verify(times(PARTIAL, "client drift", 1 / tau), noisy(problem), replicas=1)
    assert verdict.answer == "violated"


def test_divergence_inside_the_condition_is_a_violation() -> None:
    """Planted: a theorem without a condition on its steps."""
    reckless = replace(FULL, step_size=())
    run = make_run("fedavg", Quadratic([1.0, 1.0], [[0.0], [1.0]]), rounds=4000, eta=2.5)
    verdict = verify(reckless, run, slopes=False)
    assert verdict.answer == "violated"
    assert "diverged in round" in verdict.reason
    assert verdict.ratio is None
    without_nan(json.dumps(verdict.to_dict()))


def test_not_applicable_everywhere_stays_so_with_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem that none of the instances fits must not be said to hold."""
    monkeypatch.setattr(verifier, "reasons_not_applicable", lambda theorem, run: ["planted"])
    verdict = verify(FULL)
    assert verdict.answer == "not applicable"
    assert {c.answer for c in verdict.cases} == {"not applicable"}


def test_a_lower_bound_is_violated_from_below() -> None:
    """An upper bound that is not reached is no lower bound; a small enough part of it is one."""
    run = noisy(participation="full")
    verdict = verify(replace(FULL, kind="lower"), run)
    assert verdict.answer == "violated"
    assert "at least 1 is claimed" in verdict.reason
    assert [c.name for c in verdict.checks] == ["lower"]
    assert verdict.ratio is not None
    assert verify(replace(scaled(FULL, verdict.ratio / 2), kind="lower"), run).ratio == pytest.approx(2)


def test_the_worst_instance_of_a_lower_bound_is_the_smallest_ratio() -> None:
    verdict = verify(theorem("fedavg_strongly_convex_drift_limit_lower"))
    ratios = [c.ratio for c in verdict.cases if c.ratio is not None]
    assert verdict.answer == "holds"
    assert verdict.ratio == min(ratios) < max(ratios)


def test_a_bound_up_to_constants_asks_no_single_run() -> None:
    verdict = verify(replace(FULL, kind="order"), noisy(participation="full"))
    assert verdict.answer == "not applicable"
    assert "its constants are unspecified" in verdict.reason


def test_a_bound_up_to_constants_is_told_by_its_scaling() -> None:
    statement = theorem("fedavg_nonconvex_partial_rate")
    assert verify(statement).answer == "holds"
    wrong = times(statement, "stochastic noise", tau ** Rational(-1, 2))
    verdict = verify(wrong)
    assert verdict.answer == "violated"
    assert "slope of the bound in tau" in verdict.reason


def test_the_worst_instance_is_the_one_that_is_reported() -> None:
    verdict = verify(FULL, slopes=False)
    worst = max(verdict.cases, key=lambda c: c.ratio or 0)
    assert verdict.ratio == worst.ratio
    assert verdict.run == worst.run


def test_a_violated_instance_rules_over_a_larger_ratio_elsewhere() -> None:
    order = verifier._ORDER
    assert (
        order.index("violated")
        < order.index("undecided")
        < order.index("holds")
        < order.index("not applicable")
    )


def test_settings_or_a_run_are_the_same_question() -> None:
    problem = Quadratic.random(4, 2, seed=1)
    by_settings = verify(FULL, problem, rounds=10, eta=0.01, local_steps=2, slopes=False)
    by_run = verify(FULL, make_run("fedavg", problem, rounds=10, eta=0.01, local_steps=2), slopes=False)
    assert by_settings.to_dict() == by_run.to_dict()
    assert bk.verify(FULL, problem, rounds=10, eta=0.01, local_steps=2, slopes=False).ratio == by_run.ratio


def test_a_seed_changes_the_instances_that_are_sampled() -> None:
    a, b = (verify(FULL, seed=s, replicas=20, slopes=False) for s in (0, 1))
    ratios = [{c.name: c.ratio for c in v.cases} for v in (a, b)]
    assert ratios[0]["not convex, noise"] != ratios[1]["not convex, noise"]
    assert ratios[0]["on the floor"] == ratios[1]["on the floor"]


def test_a_name_stands_for_its_theorem() -> None:
    name = "sgd_strongly_convex"
    by_name, by_value = (bk.verify(t, quick=True, slopes=False) for t in (name, theorem(name)))
    assert by_name.to_dict() == by_value.to_dict()
    with pytest.raises(BoundkitError, match="did you mean 'fedavg_nonconvex'"):
        bk.verify("fedavg_nonconvx")


def test_a_theorem_without_rounds_can_be_verified() -> None:
    from tests.verification.planted_errors import without

    verdict = verify(without(FULL, "initial gap"), slopes=False)
    assert verdict.answer == "violated"
    assert verdict.curves is not None
    assert all(v.shape == verdict.curves.horizon.shape for v in verdict.curves.terms.values())


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    verify(
        PARTIAL,
        noisy(),
        engine="step",
        replicas=3,
        slopes=False,
        progress=lambda done, all_: told.append((done, all_)),
    )
    assert told[-1] == (120, 120)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_checks_tell_their_numbers_in_json() -> None:
    check = Check("upper", "holds", "so", {"ratio": 0.5})
    assert check.to_dict() == {"name": "upper", "outcome": "holds", "sentence": "so", "ratio": 0.5}
    assert Verdict(FULL, "not applicable", "why").trust is None
    assert math.isfinite(len(Verdict(FULL, "not applicable", "why").to_text()))


def test_the_package_loads_no_torch() -> None:
    code = (
        "import sys, boundkit.verification, boundkit.verification.verifier, boundkit.simulation.run_file; "
        "import boundkit.verification.record; "
        "sys.exit(any(name in sys.modules for name in ('torch', 'matplotlib', 'pandas', 'xarray')))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0
