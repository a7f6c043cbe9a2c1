"""Bounds up to constants: their settings reach every run, and a run that diverges has a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sympy import Le

from boundkit.algebra.notation import L, eta
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.theorems import catalogue, theorem
from boundkit.verification.checks import order_level
from boundkit.verification.checks.order_level import general_sweeps, order_checks, sweeps_of
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.family import Sweeps
from boundkit.verification.instance import Instance
from boundkit.verification.verifier import verify

ORDERS = [name for name, t in catalogue().items() if t.kind == "order"]
EXACT, LEARNT = theorem("fedavg_nonconvex_partial_rate"), theorem("fedau_nonconvex_rate")

ORDER = replace(theorem("fedavg_nonconvex"), kind="order", limits=(), reductions=())


def one_letter(name: str, letter: str, **changes: Any) -> Sweeps:
    """A few values of one letter of a theorem's own sweeps."""
    own = sweeps_of(theorem(name))
    instance = replace(own.instance, **changes)
    return replace(own, instance=instance, values={letter: own.values[letter][:3]})


@pytest.mark.parametrize("name", ORDERS)
def test_a_seed_stays_with_every_plan_of_the_sweeps(name: str) -> None:
    own = sweeps_of(theorem(name))
    seeded = replace(own.instance, seed=7)
    for letter, values in own.values.items():
        assert all(own.vary(seeded, letter, value).seed == 7 for value in values)


def test_seed_replicas_and_engine_reach_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, str]] = []

    def noted(self: EngineOptions, statement: object, run: Run, progress: object = None) -> Trajectory:
        asked.append((run.seed, self.replicas, self.engine))
        return honest(self, statement, run)

    honest: Callable[..., Trajectory] = EngineOptions.trajectory
    monkeypatch.setattr(EngineOptions, "trajectory", noted)
    verdict = verify(LEARNT, seed=5, replicas=3, engine="step", quick=True)
    assert verdict.replicas == 3
    assert verdict.engine == "step"
    assert set(asked) == {(5, 3, "step")}
    assert "mean of 3 replicas" in verdict.reason


def test_where_all_is_exact_the_verdict_says_that_a_seed_changes_nothing() -> None:
    first, second = (verify(EXACT, seed=seed, replicas=seed + 1, quick=True) for seed in (0, 1))
    assert first == second
    assert (first.engine, first.replicas) == ("exact", None)
    assert "seed and replicas have no effect" in first.reason


def test_quick_ends_with_the_first_letter_that_tells() -> None:
    told: list[tuple[int, int]] = []
    quick = verify(EXACT, quick=True, progress=lambda done, total: told.append((done, total)))
    assert [c.outcome for c in quick.checks] == ["holds"]
    assert told == [(1, 4)]
    assert "Quick: " in quick.reason


def test_a_run_that_diverges_inside_the_condition_violates() -> None:
    """The largest step of a planted condition is far too long."""
    wild = replace(ORDER, step_size=(Le(eta, 100 / L),))
    check = order_checks(wild, engine_options=EngineOptions(replicas=2), quick=True)[0]
    assert check.outcome == "violated"
    assert "diverged in round" in check.sentence
    assert "inside the step-size condition" in check.sentence


def test_a_run_that_diverges_where_nothing_is_promised_is_not_tested() -> None:
    sweeps = general_sweeps(ORDER)
    diverging = replace(sweeps, instance=replace(sweeps.instance, eta=50.0))
    check = order_checks(ORDER, diverging, quick=True)[0]
    assert check.outcome == "not tested"
    assert "diverged in round" in check.sentence
    assert "does not cover" in check.sentence


def test_a_grid_on_which_every_step_diverges_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order_level, "_GRID", (300.0, 400.0))
    (check,) = order_checks(EXACT, one_letter(EXACT.name, "T"))
    assert check.outcome == "not tested"
    assert "none of 2 steps" in check.sentence
    assert "diverged in round" in check.sentence


def test_steps_of_the_grid_that_diverge_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sweeps = one_letter(EXACT.name, "T")
    (honest,) = order_checks(EXACT, sweeps)
    monkeypatch.setattr(order_level, "_GRID", (*order_level._GRID, 300.0))
    assert order_checks(EXACT, sweeps) == [honest]


def test_a_quantity_that_is_zero_has_no_slope() -> None:
    still = Quadratic([1.0] * 8, np.zeros((8, 2)))
    instance = Instance("at rest", still, 2, present=0.5, rounds=100, x0=np.zeros(2))
    (check,) = order_checks(EXACT, replace(one_letter(EXACT.name, "T"), instance=instance))
    assert check.outcome == "not tested"
    assert "is 0, which has no slope" in check.sentence
