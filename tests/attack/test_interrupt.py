"""Interrupts of a search: the result so far is returned, or nothing is written."""

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


def test_an_interruptible_search_returns_its_result(monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(6, evaluate_candidate))
    result = search(theorem(NAME), evaluations=50, interruptible=True)
    assert result.interrupted
    assert result.tried == 6
    assert "bound" in result.best
    assert result.counts().startswith("interrupted after 6 instances")


def test_an_interrupted_reduction_leaves_the_instance_unchanged(monkeypatch: Patch) -> None:
    monkeypatch.setattr(confirmation, "shrink", interrupted_at(1, shrink))
    result = falsify(theorem(NAME), evaluations=5, starts=(), interruptible=True)
    assert result.interrupted
    assert result.search is not None
    assert result.ratio == pytest.approx(result.search.best["bound"].score, rel=1e-6)
    assert result.run == result.search.best["bound"].run


def test_an_interrupted_sweep_writes_no_answer(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(2, evaluate_candidate))
    with pytest.raises(KeyboardInterrupt):
        list(falsify_all([theorem(NAME)], tmp_path, evaluations=3))
    assert not list(tmp_path.glob("*.json"))
