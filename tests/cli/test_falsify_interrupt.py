"""Ctrl-C in ``boundkit attack search``: the answer so far is told and written, and --all resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.attack import falsify as module
from boundkit.attack import search_state
from boundkit.attack.candidate import evaluate_candidate
from boundkit.attack.stored_instances import stored_runs
from boundkit.theorems import theorem
from tests.attack.interrupting import interrupted_at

NAME = "sgd_strongly_convex"
Patch = pytest.MonkeyPatch


def test_the_command_prints_and_writes_what_it_has(boundkit: Any, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(search_state, "evaluate_candidate", interrupted_at(6, evaluate_candidate))
    answer = boundkit("attack", "search", NAME, "--evaluations", "50", "--out", str(tmp_path))
    assert answer.code == 130
    assert f"interrupted after {6 + len(stored_runs(theorem(NAME)))} instances" in answer.out
    told = json.loads((tmp_path / f"{NAME}.json").read_text(encoding="utf-8"))
    assert told["interrupted"]
    assert told["ratio"] > 0
    assert json.loads((tmp_path / f"{NAME}.run.json").read_text(encoding="utf-8")) == told["run"]


def test_finished_theorems_are_kept_and_the_next_call_does_the_others(
    boundkit: Any, tmp_path: Path, monkeypatch: Patch
) -> None:
    few = {name: theorem(name) for name in (NAME, "fedavg_surrogate_optimum", "sgd_nonconvex")}
    monkeypatch.setattr("boundkit.theorems.catalogue", lambda: few)
    asked = ("attack", "search", "--all", "--evaluations", "3", "--jobs", "1", "--out")
    whole = boundkit(*asked, str(tmp_path / "whole"), "--json")
    assert whole.code == 0
    out, true = tmp_path / "out", module.falsify_one
    with monkeypatch.context() as patch:
        patch.setattr(module, "falsify_one", interrupted_at(2, true))
        answer = boundkit(*asked, str(out), "--json")
        assert answer.code == 130
        line = answer.err.splitlines()[-1]
        assert line.startswith("boundkit: interrupted; 1 of 3 theorems are finished and kept in ")
        assert [one["theorem"] for one in answer.json] == [NAME]
    assert [path.name for path in out.glob("*.json")] == [f"{NAME}.json"]
    assert [path.name for path in (out / ".sweep").iterdir()] == [f"{NAME}.json.json"]
    redone = []

    def spy(of: Any, *given: Any) -> Any:
        redone.append(of.name)
        return true(of, *given)

    monkeypatch.setattr(module, "falsify_one", spy)
    again = boundkit(*asked, str(out), "--json")
    assert redone == list(few)[1:]
    assert [untimed(one) for one in again.json] == [untimed(one) for one in whole.json]


def untimed(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "seconds"}
