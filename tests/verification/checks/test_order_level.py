"""Order-level bounds: the options reach every run, and a run that diverges is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sympy import Le

from boundkit.algebra.notation import L, eta
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.theorems import catalogue, theorem
from boundkit.verification.checks import order_level
from boundkit.verification.checks.order_level import general_sweeps, order_checks, sweeps_of
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.family import Sweeps
from boundkit.verification.verifier import verify

EXACT, SAMPLED = theorem("fedavg_nonconvex_partial_rate"), theorem("fedau_nonconvex_rate")
ORDER = replace(theorem("fedavg_nonconvex"), kind="order", limits=(), reductions=())


def short_sweep(keyword: str, **changes: Any) -> Sweeps:
    """Three values of one quantity of the theorem's own sweeps."""
    sweeps = sweeps_of(EXACT)
    values = {keyword: sweeps.values[keyword][:3]}
    return replace(sweeps, instance=replace(sweeps.instance, **changes), values=values)


def test_every_instance_of_the_sweeps_has_the_seed() -> None:
    for name, statement in catalogue().items():
        if statement.kind == "order":
            sweeps = sweeps_of(statement)
            instance = replace(sweeps.instance, seed=7)
            for keyword, values in sweeps.values.items():
                assert all(sweeps.vary(instance, keyword, value).seed == 7 for value in values), name


def test_seed_replicas_and_engine_reach_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[int, int, str]] = []
    original: Callable[..., Trajectory] = EngineOptions.trajectory

    def recorded(self: EngineOptions, statement: object, run: Run, progress: object = None) -> Trajectory:
        used.append((run.seed, self.replicas, self.engine))
        return original(self, statement, run)

    monkeypatch.setattr(EngineOptions, "trajectory", recorded)
    verdict = verify(SAMPLED, seed=5, replicas=3, engine="step", quick=True)
    assert (verdict.replicas, verdict.engine, set(used)) == (3, "step", {(5, 3, "step")})
    assert "mean of 3 replicas" in verdict.reason


def test_exact_moments_do_not_depend_on_the_seed_and_quick_ends_after_one_sweep() -> None:
    progress: list[tuple[int, int]] = []
    first, second = (verify(EXACT, seed=seed, replicas=seed + 1, quick=True) for seed in (0, 1))
    quick = verify(EXACT, quick=True, progress=lambda done, total: progress.append((done, total)))
    assert first == second == quick
    assert (first.engine, first.replicas) == ("exact", None)
    assert "seed and replicas have no effect" in first.reason
    assert [c.outcome for c in quick.checks] == ["holds"]
    assert progress == [(1, 4)]
    assert "Quick: " in quick.reason


def test_divergence_violates_only_inside_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = replace(ORDER, step_size=(Le(eta, 100 / L),))
    check = order_checks(unlimited, engine_options=EngineOptions(replicas=2), quick=True)[0]
    assert check.outcome == "violated"
    assert "diverged in round" in check.sentence
    assert "inside the step-size condition" in check.sentence
    sweeps = general_sweeps(ORDER)
    diverging = replace(sweeps, instance=replace(sweeps.instance, eta=50.0))
    check = order_checks(ORDER, diverging, quick=True)[0]
    assert check.outcome == "not tested"
    assert "does not cover" in check.sentence
    monkeypatch.setattr(order_level, "_GRID", (300.0, 400.0))
    (check,) = order_checks(EXACT, short_sweep("T"))
    assert check.outcome == "not tested"
    assert "none of 2 steps" in check.sentence
