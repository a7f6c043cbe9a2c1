"""The part of the searches that every run of the tests repeats: stored worst instances of all theorems.

The whole is ``boundkit attack search --all`` and ``boundkit attack mutants --all``.
"""

import numpy as np
import pytest

from boundkit.attack.evidence import BOUND, EvidencePool, collect_evidence, default_objectives
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.mutation import mutate
from boundkit.attack.stored_instances import load_instances
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import names, theorem
from boundkit.verification.checks.bound_comparison import ROUNDING
from tests.cases import each
from tests.representatives import aside

STORED = [name for name in names() if load_instances(theorem(name))]
MUTATED = ("sgd_strongly_convex", "fedavg_nonconvex", "fednova_nonconvex_surrogate")
CLOSE = 1e-6
"""Tolerance of long runs for the rounding of other versions of packages."""


def test_every_bound_with_constants_has_its_worst_instances() -> None:
    explicit = {name for name in names() if theorem(name).kind != "order"}
    assert set(STORED) == explicit


def quick(name: str) -> bool:
    """Whether all its worst instances have exact moments and are short."""
    return theorem(name).algorithm in ("fedavg", "fednova", "local_sgd", "sgd") and all(
        entry.engine == "exact" and entry.rounds <= 3000 for entry in load_instances(theorem(name))
    )


@each("name", [pytest.param(n, marks=[] if quick(n) else [pytest.mark.slow]) for n in STORED])
def test_stored_instances_have_their_scores_and_violate_nothing(name: str) -> None:
    statement = theorem(name)
    scores = {objective.name: objective.score for objective in default_objectives(statement)}
    assert load_instances(statement)
    for entry in load_instances(statement):
        with np.errstate(all="ignore"):
            evidence = collect_evidence(
                statement, run_from_spec(statement.algorithm, entry.run), FastEngineOptions()
            )
        assert not evidence.diverged
        ratio = evidence.ratios(statement)[-1]
        assert evidence.random or ratio <= 1 + ROUNDING
        score = float(scores[entry.objective](EvidencePool([evidence]))[-1])
        assert score == pytest.approx(entry.score, rel=CLOSE, abs=1e-9), entry.objective


def test_tight_bounds_are_attained_by_stored_instances() -> None:
    best = {
        name: next((e.score for e in load_instances(theorem(name)) if e.objective == BOUND), 0.0)
        for name in STORED
    }
    tight = {name for name, score in best.items() if score >= 0.99}
    assert tight >= {
        "fedavg_surrogate_optimum",
        "fedavg_strongly_convex_average_drift",
        "fedavg_strongly_convex_drift_limit",
        "sgd_strongly_convex",
        "sgd_nonconvex",
        "fedau_cutoff_bias",
    }
    assert all(score > 0 for score in best.values())


@each("name", aside(MUTATED, "fedavg_nonconvex", "fednova_nonconvex_surrogate"))
def test_no_false_mutant_survives_the_stored_instances(name: str) -> None:
    result = mutate(theorem(name), evaluations=1)
    assert [one.what for one in result.results if one.open] == []
    assert any(one.by in ("verification", "falsifier") for one in result.results)
