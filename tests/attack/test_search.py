"""The search reaches known equalities and is reproducible."""

from __future__ import annotations

import pytest

from boundkit.attack.evidence import collect_evidence
from boundkit.attack.search import search
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from tests.cases import each
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


@each("name", ATTAINED)
def test_known_equalities_are_reached(name: str) -> None:
    result = search(theorem(name), evaluations=8)
    assert 0.99 <= result.best["bound"].score <= 1 + 1e-9


def test_the_worst_instances_are_replayed_by_their_runs() -> None:
    bound = theorem("sgd_nonconvex")
    result = search(bound, evaluations=20)
    for instance in result.best.values():
        again = collect_evidence(bound, run_from_spec(bound.algorithm, instance.run))
        name = instance.objective
        score = again.ratios(bound) if name == "bound" else again.shares(bound, name)
        assert score[-1] == pytest.approx(instance.score, rel=1e-6)
        assert again.horizons[-1] == instance.horizon


def test_evaluations_are_counted_and_reported() -> None:
    counts: list[tuple[int, int]] = []
    result = search(theorem("sgd_nonconvex"), evaluations=12, progress=lambda *count: counts.append(count))
    assert result.tried == 12
    assert counts[-1] == (12, 12)
    assert sum(result.families.values()) + sum(result.refused.values()) == 12
