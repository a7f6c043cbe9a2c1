"""The fixed-point check, and the mistakes that it catches."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.simulation.fixed_point import FixedPoint
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.checks import fixed_point as module
from boundkit.verification.checks.fixed_point import fixed_point_check, noiseless
from boundkit.verification.default_instances import default_runs
from boundkit.verification.verifier import verify
from tests.verification.planted_errors import times, without
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = free_of_rules()
FULL = theorem("fedavg_nonconvex")


def drifting(tau: int = 40) -> Run:
    """Unlike clients at the largest step: the drift is all there is at the end."""
    problem = Quadratic([[1.0, 0.1], [0.1, 1.0]], [[3.0, 0.0], [0.0, 3.0]])
    return make_run("fedavg", problem, rounds=10, eta=1 / (12**0.5 * tau), local_steps=tau)


def test_a_floor_above_the_bounds_says_how_far() -> None:
    run = drifting()
    small = times(FULL, "client drift", Rational(1, 10**6))
    check = fixed_point_check(small, run)
    assert check.outcome == "violated"
    ratio = check.numbers["floor"] / check.numbers["bound_floor"]
    assert check.sentence.startswith(f"the error floor is {ratio:.4g} times the bound's: error floor ")


@pytest.mark.parametrize("name", CATALOGUE)
def test_it_holds_on_all_instances(name: str) -> None:
    outcomes = []
    for _, run in default_runs(CATALOGUE[name]):
        check = fixed_point_check(CATALOGUE[name], run)
        assert check.outcome == ("holds" if isinstance(run.problem, Quadratic) else "not tested")
        outcomes.append(check.outcome)
    assert outcomes.count("holds") >= 5


def test_a_wrong_drift_constant_is_caught() -> None:
    check = fixed_point_check(FULL, drifting())
    assert check.outcome == "holds"
    slack = check.numbers["bound_floor"] / check.numbers["floor"]
    assert 1 < slack < 300  # a constant too small by less goes unseen here
    for factor, outcome in ((1.01 / slack, "holds"), (0.99 / slack, "violated")):
        planted = times(FULL, "client drift", Rational(factor))
        assert fixed_point_check(planted, drifting()).outcome == outcome
        assert verify(planted, drifting(), slopes=False).answer == outcome


def test_a_missing_drift_is_caught() -> None:
    check = fixed_point_check(without(FULL, "client drift"), drifting())
    assert check.outcome == "violated"
    assert check.numbers["floor"] > 1e6 * check.numbers["bound_floor"]


def test_the_floor_is_the_closed_form() -> None:
    """Diagonal clients: the gradient of F at (sum K_i)^-1 sum K_i e_i, by coordinate."""
    run, tau = drifting(), 40
    H, e = np.array([[1.0, 0.1], [0.1, 1.0]]), np.array([[3.0, 0.0], [0.0, 3.0]])
    K = 1 - (1 - run.eta * H) ** tau
    x = (K * e).sum(0) / K.sum(0)
    gradient = (H * (x - e)).mean(0)
    check = fixed_point_check(FULL, run)
    assert check.numbers["floor"] == pytest.approx(gradient @ gradient, rel=1e-10)
    assert check.numbers["residual"] < 1e-12
    spread = (((H * (x - e)) - gradient) ** 2).sum(1).mean()
    expected = 12 * run.eta**2 * tau * (tau - 1) * spread
    assert check.numbers["bound_floor"] == pytest.approx(expected, rel=1e-6)


def test_a_point_that_is_not_fixed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver and the algorithm's own steps are two ways; let one go astray."""

    def astray(run: Run, *args: Any) -> FixedPoint:
        from boundkit.simulation.fixed_point import fixed_point

        found = fixed_point(run, *args)
        return replace(found, points=found.points + 1e-6)

    monkeypatch.setattr(module, "fixed_point", astray)
    check = fixed_point_check(FULL, drifting())
    assert check.outcome == "violated"
    assert "MOVES" in check.sentence


def test_what_it_cannot_test_it_says() -> None:
    bent = make_run("fedavg", SmoothNonconvex([[1.0], [-1.0]]), rounds=3, eta=0.1)
    assert fixed_point_check(FULL, bent).outcome == "not tested"
    wild = make_run("fedavg", Quadratic([1.0], [[1.0]]), rounds=3, eta=2.5)
    assert "does not contract" in fixed_point_check(FULL, wild).sentence
    flat = make_run("fedavg", Quadratic([[1.0, 0.0]], [[1.0, 1.0]]), rounds=3, eta=0.1)
    assert "leave a direction" in fixed_point_check(FULL, flat).sentence


def test_noiseless_has_everybody_and_no_noise() -> None:
    problem = Quadratic.random(4, 2, noise=0.5)
    still = noiseless(
        make_run("fedavg", problem, rounds=9, eta=0.1, participation={"kind": "uniform", "C": 0.5})
    )
    assert still.problem.noise == 0
    assert problem.noise == 0.5
    assert still.participation.kind == "full"
