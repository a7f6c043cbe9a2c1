"""Beside an answer: the sharper theorem, and what only infinitely many clients show."""

from __future__ import annotations

from boundkit.analysis.reductions.graph import sharper_theorems
from boundkit.attack.falsification import INFINITE, Falsification, shown_by_infinite_clients
from boundkit.theorems import catalogue, theorem
from tests.cases import each


@each(
    ("name", "better"),
    [
        ("fedavg_nonconvex", {"fedavg_nonconvex_long_steps", "fedavg_nonconvex_sharp"}),
        ("fedavg_nonconvex_partial", {"fedavg_nonconvex_partial_sharp"}),
        ("fedavg_convex", {"fedavg_convex_sharp"}),
    ],
)
def test_sharper_theorems_are_named(name: str, better: set[str]) -> None:
    assert better <= set(sharper_theorems(theorem(name), catalogue().values()))
    for sharper in better:
        assert name not in sharper_theorems(theorem(sharper), catalogue().values())


def test_a_drift_that_no_instance_showed_points_to_the_atlas() -> None:
    bound = theorem("fedavg_nonconvex")
    needs = {"noise drift": 0.0, "client drift": 0.0}
    answer = Falsification(bound, "not broken", "It stood.", 0.3, needs=needs)
    text = answer.to_text()
    assert text.count(INFINITE) == 1
    assert "no instance of this search showed that it is needed" in text
    assert "fedavg_nonconvex_sharp" in text
    assert shown_by_infinite_clients(bound, {"noise drift": 0.1}) == {}
    assert shown_by_infinite_clients(theorem("fedavg_surrogate_optimum"), {"noise drift": 0.0}) == {}
