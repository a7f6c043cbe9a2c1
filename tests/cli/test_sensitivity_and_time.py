"""The commands sensitivity, time and quiz, as a shell sees them."""

from __future__ import annotations

import pytest

import boundkit as bk
from boundkit.analysis.quiz import FULL, PARTIAL, QUIZ, quiz
from boundkit.theorems import theorem
from tests.cli.conftest import Command


def test_sensitivity(boundkit: Command) -> None:
    answer = boundkit("sensitivity", "sgd_nonconvex", "--json")
    assert answer.code == 0
    assert answer.json["readings"] == ["fixed steps", "best eta"]
    words = {e["name"]: e["readings"]["fixed steps"]["effect"] for e in answer.json["effects"]}
    assert words == {
        "m": "better", "T": "better", "eta": "depends", "L": "worse", "sigma": "worse", "gap": "worse",
    }  # fmt: skip
    shown = boundkit("sensitivity", "sgd_nonconvex", "--of", "m,T", "--eta", "1/(L*sqrt(T))")
    assert "under the rules" in shown.out
    assert "eta = 1/(L*sqrt(T))" in shown.out


def test_sensitivity_for_alike_clients(boundkit: Command) -> None:
    unlike = boundkit("sensitivity", "fednova_nonconvex_surrogate", "--no-tuned", "--json").json
    assert "A_noise" in {e["name"] for e in unlike["effects"]}
    alike = boundkit("sensitivity", "fednova_nonconvex_surrogate", "--alike", "--no-tuned", "--json").json
    assert {"tau", "m"} <= {e["name"] for e in alike["effects"]}
    assert "A_noise" not in {e["name"] for e in alike["effects"]}


def test_time(boundkit: Command) -> None:
    answer = boundkit("cost", "--time", "synchronous", "m=1,2,4", "step_time=12", "delay=1", "--json")
    assert answer.code == 0
    assert answer.json["per_round"] == pytest.approx([13, 19, 26])
    assert answer.json["formula"] == "delay + step_time*harmonic(m)"
    assert answer.json["axes"] == ["m"]
    shown = boundkit("cost", "--time", "federated", "n_i=600,300", "C=1", "--law", "constant")
    assert "seconds a round" in shown.out
    added = boundkit(
        "cost", "--time", "asynchronous", "m=2", "step_time=3", "delay=1", "--delay-added", "--json"
    )
    assert added.json["per_iteration"] == 2
    assert added.json["staleness"] == 1


def test_quiz(boundkit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of its lines: tests/analysis asks them all."""
    some = quiz(theorem(FULL), theorem(PARTIAL), QUIZ[3:4])
    monkeypatch.setattr(bk, "quiz", lambda: some)
    answer = boundkit("sensitivity", "--quiz", "--json")
    assert answer.code == 0
    assert [line["raised"][:8] for line in answer.json["lines"]] == ["heteroge"]
    assert boundkit("sensitivity", "--quiz").out.strip() == some.to_text().strip()
