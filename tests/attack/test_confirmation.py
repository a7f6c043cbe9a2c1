"""From a search to an answer: facts first, fresh seeds for samples, and no verdict from what is estimated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import Theorem
from boundkit.attack import confirmation
from boundkit.attack import falsify as module
from boundkit.attack.confirmation import Confirmation, decide_answer
from boundkit.attack.evidence import BOUND, Evidence, EvidencePool, collect_evidence, default_objectives
from boundkit.attack.falsify import falsify_all
from boundkit.attack.search_result import SearchResult, WorstInstance
from boundkit.attack.stored_instances import StoredInstance
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.theorems import theorem

Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def wrong() -> Theorem:
    right = theorem("sgd_nonconvex")
    terms = tuple(replace(term, expr=term.expr / 20) for term in right.terms)
    return replace(right, terms=terms, reductions=(), limits=())


@pytest.fixture(scope="module")
def fact(wrong: Theorem) -> Evidence:
    run = make_run("minibatch_sgd", Quadratic([1.0], [[0.0]]), rounds=3, eta=0.5, x0=[1.0])
    return collect_evidence(wrong, run)


def attack(wrong: Theorem, seen: Evidence, *others: Evidence) -> SearchResult:
    score = float(seen.ratios(wrong)[-1])
    find = WorstInstance(BOUND, score, seen, seen.horizons[-1], seen.run.to_json(), "drawn")
    pool = EvidencePool([seen, *others])
    return SearchResult(
        wrong, tuple(default_objectives(wrong)), {BOUND: find}, (find,), pool, 2, {}, {}, 0.1, 0
    )


def looks(decision: Any, monkeypatch: Patch) -> None:
    """Fresh seeds that say so, of a run with the seed of its place among the candidates."""

    def confirm(of: Theorem, run: Any, *, candidate: int, engine_options: Any) -> Confirmation:
        seen = collect_evidence(of, replace(run, seed=1000 + candidate))
        return Confirmation(decision, 1.07, 0.98, 1.16, 2048, 1e-4, seen)

    monkeypatch.setattr(confirmation, "confirm", confirm)


def test_a_last_look_that_does_not_decide_is_undecided(
    wrong: Theorem, fact: Evidence, monkeypatch: Patch
) -> None:
    looks("undecided", monkeypatch)
    found = decide_answer(attack(wrong, replace(fact, random=True)), None, None)
    assert found.answer == "undecided"
    assert not found
    assert "between 0.98 and 1.16" in found.reason
    assert found.ratio == 1.07
    assert found.run is not None
    assert found.run["seed"] == 1001


def test_what_fresh_seeds_deny_is_not_broken(wrong: Theorem, fact: Evidence, monkeypatch: Patch) -> None:
    looks("not broken", monkeypatch)
    found = decide_answer(attack(wrong, replace(fact, random=True)), None, None)
    assert found.answer == "not broken"
    assert "Fresh seeds do not confirm" in found.reason


def test_a_fact_behind_samples_is_seen_first(wrong: Theorem, fact: Evidence) -> None:
    luck = replace(fact, random=True, low=2 * fact.low, high=2 * fact.high)
    found = decide_answer(attack(wrong, luck, fact), None, None)
    assert found.answer == "violated"
    assert found.ratio == pytest.approx(float(fact.ratios(wrong).max()))
    assert found.worst is fact


@pytest.mark.parametrize("random", [False, True])
def test_with_estimated_constants_nothing_is_violated(
    wrong: Theorem, fact: Evidence, random: bool, monkeypatch: Patch
) -> None:
    guessed = replace(fact, trust="estimated", random=random)
    monkeypatch.setattr(
        confirmation, "confirm", lambda *_, **__: Confirmation("violated", 2, 1.5, 2.5, 128, 1e-4, guessed)
    )
    found = decide_answer(attack(wrong, guessed), None, None)
    assert found.answer == "undecided"
    assert "estimated" in found.reason
    assert "are estimated" in found.to_text()


def test_an_answer_is_made_again_once_other_instances_are_kept(monkeypatch: Patch, tmp_path: Path) -> None:
    found, bound = list[str](), theorem("sgd_strongly_convex")

    def one(of: Theorem, *_: Any) -> tuple[dict[str, Any], list[StoredInstance]]:
        found.append(of.name)
        return {"theorem": of.name}, []

    monkeypatch.setattr(module, "falsify_one", one)
    for _ in range(2):
        list(falsify_all([bound], tmp_path, evaluations=3))
    assert len(found) == 1
    stored = StoredInstance("bound", 0.5, 1, "exact", "exact", {})
    monkeypatch.setattr(module, "load_instances", lambda _: (stored,))
    list(falsify_all([bound], tmp_path, evaluations=3))
    assert len(found) == 2
