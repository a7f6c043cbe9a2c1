"""When a theorem does not speak of a run, and when the asker is mistaken."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import (
    check_function_class,
    reasons_not_applicable,
    untested_assumptions,
)
from boundkit.verification.default_instances import default_runs
from boundkit.verification.verifier import step_condition, verify
from tests.verification.testable_theorems import free_of_rules

CATALOGUE = free_of_rules()


def run(problem: Problem | None = None, algorithm: str = "fedavg", **settings: Any) -> Run:
    given = {"rounds": 5, "eta": 1e-3, "local_steps": 3} | settings
    return make_run(algorithm, problem or Quadratic.random(4, 2, seed=1), **given)


def why(name: str, asked: Run) -> str:
    """The reasons, which verify must give too."""
    reasons = reasons_not_applicable(theorem(name), asked)
    verdict = verify(theorem(name), asked, slopes=False)
    assert verdict.answer == ("not applicable" if reasons else "holds")
    assert all(reason in verdict.reason for reason in reasons)
    return "; ".join(reasons)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_theorem_speaks_of_its_own_instances(name: str) -> None:
    runs = list(default_runs(CATALOGUE[name]))
    assert len(runs) >= 5
    for label, asked in runs:
        assert reasons_not_applicable(CATALOGUE[name], asked) == [], label
        check_function_class(CATALOGUE[name], asked)
        assert step_condition(CATALOGUE[name], asked) == "", label
    assert len({label for label, _ in runs}) == len(runs)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_assumption_can_be_tested_or_is_measured(name: str) -> None:
    assert untested_assumptions(CATALOGUE[name]) == []


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        (
            "fedavg_nonconvex",
            {"participation": {"kind": "uniform", "C": 0.5}},
            "needs all clients in every round",
        ),
        ("fedavg_nonconvex", {"schedule": [[0, 1, 2, 3], [0]]}, "needs all clients in every round"),
        ("fedavg_nonconvex", {"eta_s": 1.5}, "needs eta_s = 1, and the run has 1.5"),
        ("fedavg_nonconvex", {"local_steps": [1, 2, 3, 4]}, "same number of local steps"),
        ("fedavg_nonconvex", {"local_steps": [[1] * 4, [2] * 4]}, "same number of local steps"),
        ("fedavg_nonconvex", {"options": {"momentum": 0.5}}, "without the option momentum = 0.5"),
        ("fedavg_nonconvex", {"options": {"server_momentum": 0.5}}, "without the option server_momentum"),
        ("fedavg_nonconvex", {"options": {"aggregation": "all"}}, "aggregation 'all'"),
        ("fedavg_nonconvex_partial", {"schedule": [[0, 1]]}, "drawn uniformly without replacement"),
        ("sgd_nonconvex", {}, "it is about minibatch_sgd, and the run is fedavg"),
        ("fedavg_nonconvex", {"algorithm": "minibatch_sgd", "local_steps": 1}, "the run is minibatch_sgd"),
    ],
)
def test_settings_that_a_theorem_does_not_cover(name: str, settings: dict[str, Any], words: str) -> None:
    assert words in why(name, run(**settings))


def test_unequal_weights_are_not_covered() -> None:
    problem = Quadratic([1.0, 1.0], np.zeros((2, 1)), [0.6, 0.4])
    for name, statement in CATALOGUE.items():
        if statement.algorithm == "fedavg" and statement.assumes("equal-weights"):
            assert "gives all clients equal weights" in why(name, run(problem)), name


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("fedavg_nonconvex", {"schedule": [[3, 2, 1, 0]]}),
        ("fedavg_nonconvex", {"participation": {"kind": "uniform", "C": 1}}),
        ("fedavg_nonconvex", {"options": {"aggregation": "mean"}}),
        ("fedavg_nonconvex_partial", {"participation": "full"}),
        ("fedavg_nonconvex_partial", {"schedule": [[0, 1, 2, 3]]}),
        ("fedavg_nonconvex_partial", {"participation": {"kind": "uniform", "C": 0.25}, "eta_s": 2}),
        ("fedavg_nonconvex_partial",
         {"participation": {"kind": "uniform", "C": 0.25}, "options": {"aggregation": "unbiased"}}),
        ("sgd_nonconvex", {"algorithm": "minibatch_sgd", "local_steps": 1}),
    ],
)  # fmt: skip
def test_settings_that_only_look_different_are_covered(name: str, settings: dict[str, Any]) -> None:
    assert why(name, run(**settings)) == ""


INDEFINITE = Quadratic([[1.0, 1.0], [1.0, -0.2]], np.zeros((2, 2)))


@pytest.mark.parametrize(
    "name", [n for n, t in CATALOGUE.items() if t.assumes("convex") or t.assumes("strongly-convex")]
)
@pytest.mark.parametrize("problem", [INDEFINITE, SmoothNonconvex([[1.0], [-1.0]])])
def test_losses_that_are_not_convex_are_refused_where_convexity_is_needed(
    name: str, problem: Problem
) -> None:
    with pytest.raises(BoundkitError, match=rf"{name} needs .*convex losses, but "):
        verify(CATALOGUE[name], run(problem))


def test_an_indefinite_client_is_welcome_where_only_the_mean_must_be_bounded_below() -> None:
    verdict = verify(theorem("fedavg_nonconvex"), run(INDEFINITE), slopes=False)
    assert verdict.answer == "holds"


def test_a_mean_without_a_floor_is_refused() -> None:
    falling = Quadratic([[1.0, 1.0], [1.0, -2.0]], np.zeros((2, 2)))
    with pytest.raises(BoundkitError, match="the mean loss must be bounded below"):
        verify(theorem("fedavg_nonconvex"), run(falling))


def test_a_flat_client_is_convex_and_not_strongly() -> None:
    flat = Quadratic([1.0, 0.0], [[0.0], [0.0]])
    with pytest.raises(
        BoundkitError, match="needs strongly convex losses, but the smallest eigenvalue of some H is 0"
    ):
        verify(theorem("fedavg_strongly_convex_partial"), run(flat))
    assert verify(theorem("fedavg_convex_partial"), run(flat), slopes=False).answer == "holds"


@pytest.mark.parametrize("name", CATALOGUE)
def test_steps_outside_the_condition_are_not_applicable_with_the_largest(name: str) -> None:
    statement: Theorem = CATALOGUE[name]
    asked = next(r for _, r in default_runs(statement))
    wide = make_run(
        statement.algorithm, asked.problem, rounds=2, eta=1.001 * asked.eta, eta_s=asked.eta_s,
        local_steps=asked.tau, participation=asked.participation, x0=asked.x0,
    )  # fmt: skip
    verdict = verify(statement, wide)
    assert verdict.answer == "not applicable"
    assert f"eta = {wide.eta:g}, and the largest is {asked.eta:g}" in verdict.reason
    assert verdict.reason.startswith(step_condition(statement, wide))
