"""From a search to an answer: exact violations first, fresh seeds for samples, a sequential test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import Theorem
from boundkit.attack import confirmation
from boundkit.attack import falsify as module
from boundkit.attack.confirmation import ERROR, LOOKS, Confirmation, confirm, decide_answer
from boundkit.attack.evidence import BOUND, Evidence, EvidencePool, collect_evidence, default_objectives
from boundkit.attack.falsify import falsify_all
from boundkit.attack.search import SearchResult, WorstInstance
from boundkit.attack.stored_instances import StoredInstance
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run
from boundkit.theorems import theorem

Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def wrong() -> Theorem:
    right = theorem("sgd_nonconvex")
    terms = tuple(replace(term, expr=term.expr / 20) for term in right.terms)
    return replace(right, terms=terms, reductions=(), limits=())


@pytest.fixture(scope="module")
def exact(wrong: Theorem) -> Evidence:
    run = make_run("minibatch_sgd", Quadratic([1.0], [[0.0]]), rounds=3, eta=0.5, x0=[1.0])
    return collect_evidence(wrong, run)


def search_result(wrong: Theorem, evidence: Evidence, *others: Evidence) -> SearchResult:
    score = float(evidence.ratios(wrong)[-1])
    instance = WorstInstance(BOUND, score, evidence, evidence.horizons[-1], evidence.run.to_json(), "drawn")
    pool = EvidencePool([evidence, *others])
    return SearchResult(
        wrong, tuple(default_objectives(wrong)), {BOUND: instance}, (instance,), pool, 2, {}, {}, 0.1, 0
    )


def replace_confirm(decision: Any, monkeypatch: Patch) -> None:
    """Replace the confirmation by this decision; the seed is 1000 and the candidate's number."""

    def confirm(of: Theorem, run: Any, *, candidate: int, engine_options: Any) -> Confirmation:
        evidence = collect_evidence(of, replace(run, seed=1000 + candidate))
        return Confirmation(decision, 1.07, 0.98, 1.16, 2048, 1e-4, evidence)

    monkeypatch.setattr(confirmation, "confirm", confirm)


def test_an_inconclusive_confirmation_is_undecided(
    wrong: Theorem, exact: Evidence, monkeypatch: Patch
) -> None:
    replace_confirm("undecided", monkeypatch)
    result = decide_answer(search_result(wrong, replace(exact, random=True)), None, None)
    assert result.answer == "undecided"
    assert not result
    assert "between 0.98 and 1.16" in result.reason
    assert result.ratio == 1.07
    assert result.run is not None
    assert result.run["seed"] == 1001


def test_a_refuted_violation_is_not_broken(wrong: Theorem, exact: Evidence, monkeypatch: Patch) -> None:
    replace_confirm("not broken", monkeypatch)
    result = decide_answer(search_result(wrong, replace(exact, random=True)), None, None)
    assert result.answer == "not broken"
    assert "Fresh seeds do not confirm" in result.reason


def test_exact_violations_come_first(wrong: Theorem, exact: Evidence) -> None:
    sampled = replace(exact, random=True, low=2 * exact.low, high=2 * exact.high)
    result = decide_answer(search_result(wrong, sampled, exact), None, None)
    assert result.answer == "violated"
    assert result.ratio == pytest.approx(float(exact.ratios(wrong).max()))
    assert result.worst is exact


@pytest.mark.parametrize("random", [False, True])
def test_estimated_constants_are_undecided(
    wrong: Theorem, exact: Evidence, random: bool, monkeypatch: Patch
) -> None:
    estimated = replace(exact, trust="estimated", random=random)
    monkeypatch.setattr(
        confirmation, "confirm", lambda *_, **__: Confirmation("violated", 2, 1.5, 2.5, 128, 1e-4, estimated)
    )
    result = decide_answer(search_result(wrong, estimated), None, None)
    assert result.answer == "undecided"
    assert "estimated" in result.reason
    assert "are estimated" in result.to_text()


def test_other_stored_instances_recompute_the_answer(monkeypatch: Patch, tmp_path: Path) -> None:
    computed, bound = list[str](), theorem("sgd_strongly_convex")

    def one(of: Theorem, *_: Any) -> tuple[dict[str, Any], list[StoredInstance]]:
        computed.append(of.name)
        return {"theorem": of.name}, []

    monkeypatch.setattr(module, "falsify_one", one)
    for _ in range(2):
        list(falsify_all([bound], tmp_path, evaluations=3))
    assert len(computed) == 1
    stored = StoredInstance("bound", 0.5, 1, "exact", "exact", {})
    monkeypatch.setattr(module, "load_instances", lambda _: (stored,))
    list(falsify_all([bound], tmp_path, evaluations=3))
    assert len(computed) == 2


@pytest.fixture(scope="module")
def noisy() -> Run:
    problem = SmoothNonconvex([[0.0], [0.0]], noise=0.5)
    return make_run("minibatch_sgd", problem, rounds=3, eta=0.5, x0=[1.0])


def smaller(factor: int) -> Theorem:
    bound = theorem("sgd_nonconvex")
    terms = tuple(replace(term, expr=term.expr / factor) for term in bound.terms)
    return replace(bound, terms=terms, reductions=(), limits=())


def test_a_true_bound_is_not_broken(noisy: Run) -> None:
    found = confirm(theorem("sgd_nonconvex"), noisy)
    assert found.decision == "not broken"
    assert found.low <= found.ratio <= found.high <= 1


def test_a_false_bound_is_violated_at_the_first_look(noisy: Run) -> None:
    found = confirm(smaller(20), noisy)
    assert found.decision == "violated"
    assert found.replicas == LOOKS[0]
    assert 1 < found.low < found.ratio


def test_later_candidates_have_less_to_spend(noisy: Run) -> None:
    alphas = [confirm(smaller(20), noisy, candidate=j).alpha for j in (1, 2, 3)]
    assert alphas == sorted(alphas, reverse=True)
    assert sum(ERROR / (j * (j + 1)) for j in range(1, 1000)) <= ERROR
    assert alphas[0] == pytest.approx(ERROR / 4)


def test_fresh_seeds_are_others_than_the_search_has(noisy: Run) -> None:
    assert confirm(smaller(20), noisy).evidence.run.seed > 2**19
