"""Ctrl-C in a search: what was found is kept and told, and the next call goes on from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from boundkit.attack import confirmation, search_state
from boundkit.attack.candidate import evaluate_candidate
from boundkit.attack.falsify import falsify, falsify_all
from boundkit.attack.search import search
from boundkit.attack.shrinking import shrink
from boundkit.theorems import theorem
from tests.attack.interrupting import interrupted_at

NAME = "sgd_strongly_convex"
Patch = pytest.MonkeyPatch


def test_a_search_ends_with_what_it_has(monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(6, evaluate_candidate))
    found = search(theorem(NAME), evaluations=50, interruptible=True)
    assert found.interrupted
    assert found.tried == 6
    assert "bound" in found.best
    assert found.counts().startswith("interrupted after 6 instances")


def test_others_hear_of_it(monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(6, evaluate_candidate))
    with pytest.raises(KeyboardInterrupt):
        search(theorem(NAME), evaluations=50)


def test_an_interrupted_shrinking_leaves_the_instance_as_it_was_found(monkeypatch: Patch) -> None:
    monkeypatch.setattr(confirmation, "shrink", interrupted_at(1, shrink))
    found = falsify(theorem(NAME), evaluations=5, starts=(), interruptible=True)
    assert found.interrupted
    assert found.search is not None
    assert found.ratio == pytest.approx(found.search.best["bound"].score, rel=1e-6)
    assert found.run == found.search.best["bound"].run


def test_an_interrupt_is_no_answer_of_many(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(2, evaluate_candidate))
    with pytest.raises(KeyboardInterrupt):
        list(falsify_all([theorem(NAME)], tmp_path, evaluations=3))
    assert not list(tmp_path.glob("*.json"))
