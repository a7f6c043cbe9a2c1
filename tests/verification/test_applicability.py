"""When a theorem does not apply to a run, and when the input is wrong."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
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
HALF = {"kind": "uniform", "C": 0.5}
INDEFINITE = Quadratic([[1.0, 1.0], [1.0, -0.2]], np.zeros((2, 2)))


def run_of(problem: Problem | None = None, algorithm: str = "fedavg", **settings: Any) -> Run:
    given = {"rounds": 5, "eta": 1e-3, "local_steps": 3} | settings
    return make_run(algorithm, problem or Quadratic.random(4, 2, seed=1), **given)


def reasons(name: str, run: Run) -> str:
    """The reasons, which the verdict must give too."""
    every = reasons_not_applicable(theorem(name), run)
    verdict = verify(theorem(name), run, slopes=False)
    assert verdict.answer == ("not applicable" if every else "holds")
    assert all(reason in verdict.reason for reason in every)
    return "; ".join(every)


def test_every_theorem_applies_to_its_instances_and_up_to_its_largest_step() -> None:
    for name, statement in CATALOGUE.items():
        assert untested_assumptions(statement) == []
        runs = dict(default_runs(statement))
        assert len(runs) >= 5
        for label, run in runs.items():
            assert reasons_not_applicable(statement, run) == [], (name, label)
            check_function_class(statement, run)
            assert step_condition(statement, run) == "", (name, label)
        first = next(iter(runs.values()))
        longer = make_run(
            statement.algorithm, first.problem, rounds=2, eta=1.001 * first.eta, eta_s=first.eta_s,
            local_steps=first.tau, participation=first.participation, x0=first.x0,
        )  # fmt: skip
        verdict = verify(statement, longer)
        assert verdict.answer == "not applicable", name
        assert f"eta = {longer.eta:g}, and the largest is {first.eta:g}" in verdict.reason
        assert verdict.reason.startswith(step_condition(statement, longer))


def test_settings_that_a_theorem_does_not_cover() -> None:
    full, partial = "fedavg_nonconvex", "fedavg_nonconvex_partial"
    cases: list[tuple[str, dict[str, Any], str]] = [
        (full, {"participation": HALF}, "needs all clients in every round"),
        (full, {"schedule": [[0, 1, 2, 3], [0]]}, "needs all clients in every round"),
        (full, {"eta_s": 1.5}, "needs eta_s = 1, and the run has 1.5"),
        (full, {"local_steps": [1, 2, 3, 4]}, "same number of local steps"),
        (full, {"local_steps": [[1] * 4, [2] * 4]}, "same number of local steps"),
        (full, {"options": {"momentum": 0.5}}, "without the option momentum = 0.5"),
        (full, {"options": {"server_momentum": 0.5}}, "without the option server_momentum"),
        (full, {"options": {"aggregation": "all"}}, "aggregation 'all'"),
        (full, {"algorithm": "minibatch_sgd", "local_steps": 1}, "the run is minibatch_sgd"),
        (partial, {"schedule": [[0, 1]]}, "drawn uniformly without replacement"),
        ("sgd_nonconvex", {}, "it is about minibatch_sgd, and the run is fedavg"),
    ]
    for name, settings, reason in cases:
        assert reason in reasons(name, run_of(**settings)), settings
    weighted = Quadratic([1.0, 1.0], np.zeros((2, 1)), [0.6, 0.4])
    for name, statement in CATALOGUE.items():
        if statement.algorithm == "fedavg" and statement.assumes("equal-weights"):
            assert "equal weights" in reasons(name, run_of(weighted)), name


def test_equivalent_settings_are_covered() -> None:
    full, partial, quarter = "fedavg_nonconvex", "fedavg_nonconvex_partial", {"kind": "uniform", "C": 0.25}
    cases: list[tuple[str, dict[str, Any]]] = [
        (full, {"schedule": [[3, 2, 1, 0]]}),
        (full, {"participation": {"kind": "uniform", "C": 1}}),
        (full, {"options": {"aggregation": "mean"}}),
        (partial, {"participation": "full"}),
        (partial, {"schedule": [[0, 1, 2, 3]]}),
        (partial, {"participation": quarter, "eta_s": 2}),
        (partial, {"participation": quarter, "options": {"aggregation": "unbiased"}}),
        ("sgd_nonconvex", {"algorithm": "minibatch_sgd", "local_steps": 1}),
    ]
    for name, settings in cases:
        assert reasons(name, run_of(**settings)) == "", settings


def test_problems_outside_the_function_class_are_errors() -> None:
    for name, statement in CATALOGUE.items():
        if statement.assumes("convex") or statement.assumes("strongly-convex"):
            for problem in (INDEFINITE, SmoothNonconvex([[1.0], [-1.0]])):
                with pytest.raises(BoundkitError, match=rf"{name} needs .*convex losses, but "):
                    verify(statement, run_of(problem))
    unbounded = Quadratic([[1.0, 1.0], [1.0, -2.0]], np.zeros((2, 2)))
    with pytest.raises(BoundkitError, match="the mean loss must be bounded below"):
        verify(theorem("fedavg_nonconvex"), run_of(unbounded))
    flat = Quadratic([1.0, 0.0], [[0.0], [0.0]])
    with pytest.raises(BoundkitError, match="strongly convex losses, but the smallest eigenvalue of some H"):
        verify(theorem("fedavg_strongly_convex_partial"), run_of(flat))
    assert verify(theorem("fedavg_convex_partial"), run_of(flat), slopes=False).answer == "holds"
    assert verify(theorem("fedavg_nonconvex"), run_of(INDEFINITE), slopes=False).answer == "holds"
