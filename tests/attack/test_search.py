"""The search: known equalities are reached, and the same seed finds the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from boundkit.attack.evidence import Objective, bound_objective, collect_evidence, term_objective
from boundkit.attack.search import search
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from tests.representatives import aside

ATTAINED = aside(
    [
        "fedavg_surrogate_optimum",
        "fedavg_strongly_convex_average_drift",
        "fedavg_strongly_convex_drift_limit",
        "fedavg_strongly_convex_drift_limit_lower",
        "sgd_strongly_convex",
    ],
    "fedavg_strongly_convex_average_drift",
    "fedavg_strongly_convex_drift_limit",
)


@pytest.mark.parametrize("name", ATTAINED)
def test_equality_that_is_known_is_reached(name: str) -> None:
    found = search(theorem(name), evaluations=8)
    assert 0.99 <= found.best["bound"].score <= 1 + 1e-9


def test_what_is_found_is_replayed_by_its_run() -> None:
    bound = theorem("sgd_nonconvex")
    found = search(bound, evaluations=20)
    for find in found.best.values():
        again = collect_evidence(bound, run_from_spec(bound.algorithm, find.run))
        score = again.ratios(bound) if find.objective == "bound" else again.shares(bound, find.objective)
        assert score[-1] == pytest.approx(find.score, rel=1e-6)
        assert again.horizons[-1] == find.horizon


def test_the_same_seed_finds_the_same() -> None:
    bound = theorem("sgd_strongly_convex")
    scores = [[f.score for f in search(bound, evaluations=24, seed=2).best.values()] for _ in range(2)]
    assert scores[0] == scores[1]


def test_evaluations_are_counted_and_told() -> None:
    seen: list[tuple[int, int]] = []
    found = search(theorem("sgd_nonconvex"), evaluations=12, progress=lambda *told: seen.append(told))
    assert found.tried == 12
    assert seen[-1] == (12, 12)
    assert sum(found.families.values()) + sum(found.refused.values()) == 12


def test_aims_of_ones_own() -> None:
    bound = theorem("sgd_nonconvex")
    aims: Sequence[Objective] = (bound_objective(bound), term_objective(bound, "stochastic noise"))
    assert set(search(bound, aims, evaluations=10).best) == {"bound", "stochastic noise"}
