"""Falsification: wrong theorems are violated by an instance, right ones are not; what is named beside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from sympy import Expr, sqrt

from boundkit.algebra import Theorem
from boundkit.algebra.notation import tau
from boundkit.analysis.reductions.graph import sharper_theorems
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.falsification import INFINITE, Falsification, shown_by_infinite_clients
from boundkit.attack.falsify import falsify
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import catalogue, theorem
from tests.cases import each
from tests.representatives import aside

FEW = 24
THEOREMS = aside(
    ["fedavg_nonconvex_partial", "fedavg_convex", "fednova_nonconvex_surrogate"],
    "fedavg_convex", "fednova_nonconvex_surrogate",
)  # fmt: skip


def with_term(bound: Theorem, label: str, change: Callable[[Expr], Expr] | None) -> Theorem:
    """The theorem with one term changed, or dropped."""
    terms = [replace(t, expr=change(t.expr)) if t.label == label and change else t for t in bound.terms]
    terms_ = tuple(t for t in terms if change or t.label != label)
    return replace(bound, terms=terms_, reductions=(), limits=())


@each("name", THEOREMS)
def test_a_drift_that_grows_too_slowly_with_the_local_steps(name: str) -> None:
    bound = theorem(name)
    C_drift = next((q for q in bound.quantities if q.name == "C_drift"), None)
    wrong = with_term(bound, "client drift", lambda e: e / (tau if C_drift is None else sqrt(C_drift)))
    result = falsify(wrong, evaluations=FEW, starts=(), smaller=False)
    assert result.answer == "violated"
    assert result.needs["client drift"] > 1


@each("name", THEOREMS)
def test_an_initial_gap_twenty_times_too_small(name: str) -> None:
    wrong = with_term(theorem(name), "initial gap", lambda e: e / 20)
    result = falsify(wrong, evaluations=FEW, starts=(), smaller=False)
    assert result.answer == "violated"


def test_a_missing_participation_term_is_shown_by_a_run_that_replays_it() -> None:
    wrong = with_term(theorem("fedavg_nonconvex_partial"), "partial participation", None)
    result = falsify(wrong, evaluations=FEW, starts=())
    assert result.answer == "violated"
    assert not result
    assert result.run is not None
    again = collect_evidence(wrong, run_from_spec(wrong.algorithm, result.run)).ratios(wrong)[-1]
    assert again == pytest.approx(result.ratio, rel=1e-6)


def test_a_right_theorem_is_not_broken_and_has_shares() -> None:
    result = falsify(theorem("sgd_strongly_convex"), evaluations=20, starts=())
    assert result
    assert result.answer == "not broken"
    assert "stochastic noise" in result.to_text()
    written = result.to_dict()
    assert written["ratio"] == result.ratio
    assert written["tried"] == 20


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
