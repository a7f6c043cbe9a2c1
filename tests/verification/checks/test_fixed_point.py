"""The fixed-point check, and the errors that it detects."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.simulation.fixed_point import FixedPoint, fixed_point
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.checks import fixed_point as module
from boundkit.verification.checks.fixed_point import fixed_point_check
from boundkit.verification.default_instances import default_runs
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times, without
from tests.verification.testable_theorems import FURTHER, statements

FULL = theorem("fedavg_nonconvex")


def drifting(tau: int = 40) -> Run:
    """Heterogeneous clients at the largest step size: the error floor is client drift."""
    problem = Quadratic([[1.0, 0.1], [0.1, 1.0]], [[3.0, 0.0], [0.0, 3.0]])
    return make_run("fedavg", problem, rounds=10, eta=1 / (12**0.5 * tau), local_steps=tau)


@pytest.mark.parametrize("further", FURTHER)
def test_it_holds_on_all_default_instances(further: bool) -> None:
    for name, statement in statements(further).items():
        outcomes = []
        for label, run in default_runs(statement):
            outcomes.append(fixed_point_check(statement, run).outcome)
            expected = "holds" if isinstance(run.problem, Quadratic) else "not tested"
            assert outcomes[-1] == expected, (name, label)
        assert outcomes.count("holds") >= 5, name


def test_a_wrong_or_missing_drift_is_detected() -> None:
    check = fixed_point_check(FULL, drifting())
    assert check.outcome == "holds"
    slack = check.numbers["bound_floor"] / check.numbers["floor"]
    assert 1 < slack < 300
    for factor, outcome in ((1.01 / slack, "holds"), (0.99 / slack, "violated")):
        planted = times(FULL, "client drift", Rational(factor))
        assert fixed_point_check(planted, drifting()).outcome == outcome
        assert verify(planted, drifting(), slopes=False).answer == outcome
    small = fixed_point_check(times(FULL, "client drift", Rational(1, 10**6)), drifting())
    ratio = small.numbers["floor"] / small.numbers["bound_floor"]
    assert small.sentence.startswith(f"the error floor is {ratio:.4g} times the bound's: error floor ")
    missing = fixed_point_check(without(FULL, "client drift"), drifting())
    assert missing.outcome == "violated"
    assert missing.numbers["floor"] > 1e6 * missing.numbers["bound_floor"]


def test_the_error_floor_is_the_closed_form() -> None:
    """Diagonal clients: the gradient of F at (sum K_i)^-1 sum K_i e_i, by coordinate."""
    run, tau = drifting(), 40
    H, e = np.array([[1.0, 0.1], [0.1, 1.0]]), np.array([[3.0, 0.0], [0.0, 3.0]])
    K = 1 - (1 - run.eta * H) ** tau
    x = (K * e).sum(0) / K.sum(0)
    gradient = (H * (x - e)).mean(0)
    check = fixed_point_check(FULL, run)
    assert check.numbers["floor"] == pytest.approx(gradient @ gradient, rel=1e-10)
    assert check.numbers["residual"] < 1e-12
    dissimilarity = (((H * (x - e)) - gradient) ** 2).sum(1).mean()
    expected = 12 * run.eta**2 * tau * (tau - 1) * dissimilarity
    assert check.numbers["bound_floor"] == pytest.approx(expected, rel=1e-6)


def test_a_point_that_is_not_fixed_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver and the algorithm's own steps are independent; the solver is made wrong."""

    def shifted(run: Run, *args: Any) -> FixedPoint:
        result = fixed_point(run, *args)
        return replace(result, points=result.points + 1e-6)

    monkeypatch.setattr(module, "fixed_point", shifted)
    check = fixed_point_check(FULL, drifting())
    assert check.outcome == "violated"
    assert "MOVES" in check.sentence


def test_runs_without_a_fixed_point_are_not_tested() -> None:
    for problem, eta, reason in (
        (SmoothNonconvex([[1.0], [-1.0]]), 0.1, "affine on quadratics only"),
        (Quadratic([1.0], [[1.0]]), 2.5, "does not contract"),
        (Quadratic([[1.0, 0.0]], [[1.0, 1.0]]), 0.1, "leave a direction"),
    ):
        check = fixed_point_check(FULL, make_run("fedavg", problem, rounds=3, eta=eta))
        assert check.outcome == "not tested"
        assert reason in check.sentence
