"""A floor above the bound is a counterexample: the page shows a finite run of it, and verify agrees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import Theorem
from boundkit.analysis.python_file import theorems_in
from boundkit.attack.falsification import Falsification
from boundkit.attack.user_theorem import counterexample as module
from boundkit.attack.user_theorem import examination
from boundkit.attack.user_theorem.counterexample import add_counterexample
from boundkit.cli.new_theorem import theorem_file
from boundkit.simulation.run import Run
from boundkit.verification.checks import Check
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.cli.conftest import boundkit

__all__ = ["boundkit"]
NOISE = theorem_file("mine", "sgd_nonconvex").replace("sigma**2 / m,", "sigma**2 / m**2,")
"""A noise that falls as 1/m^2."""
REACHES = "in the limit of many rounds measured/bound reaches 1.99, more than 1"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(NOISE, encoding="utf-8")
    return path


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search without a violation, and a verdict on default instances with a violated check."""
    _replace_verify(monkeypatch, "violated")
    monkeypatch.setattr(examination, "falsify", lambda theorem, **_: _not_broken(theorem))


def _replace_verify(monkeypatch: pytest.MonkeyPatch, outcome: str) -> None:
    """Replace the verdict on default instances; a given run is verified."""

    def answer(theorem: Theorem, run: Run | None = None, **options: Any) -> Verdict:
        return _verdict(theorem, outcome) if run is None else verify(theorem, run, **options)

    monkeypatch.setattr(examination, "verify", answer)


def _not_broken(theorem: Theorem) -> Falsification:
    return Falsification(theorem, "not broken", "The largest ratio found is 0.3.", 0.3, run={"rounds": 5})


def _verdict(theorem: Theorem, outcome: Any = "violated") -> Verdict:
    return Verdict(theorem, "violated", "A check fell short.", checks=(Check("floor", outcome, REACHES),))


@pytest.mark.usefixtures("seen")
def test_the_page_the_picture_and_the_run_say_that_it_is_wrong(
    boundkit: Any, mine: Path, tmp_path: Path
) -> None:
    out, page = tmp_path / "out", tmp_path / "mine.html"
    answer = boundkit("check", str(mine), "--out", str(out), "--page", str(page), "--verbose")
    assert (answer.code, answer.err) == (1, "")
    said = " ".join(answer.out.split())
    assert said.startswith("mine: wrong, an instance violates it")
    assert "FAILED bound: at worst " in said
    assert f"FAILED floor: {REACHES}" in said
    assert "start x0 = (0, 0), the optimum; eta = " in said
    assert "wrong versions detected" not in said
    assert "\nWrong versions\n" not in said
    assert "mine holds" not in page.read_text(encoding="utf-8")
    again = boundkit("verify", str(mine), str(out / "mine.run.json"), "--quick", "--json")
    assert (again.code, again.json["verdict"]) == (1, "violated")
    assert again.json["ratio"] > module.CLEAR


def test_a_floor_that_no_finite_run_reaches_is_told_in_words(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (theorem,) = theorems_in(mine)
    held = _not_broken(theorem)
    monkeypatch.setattr(module, "_runs", lambda *_: iter(()))
    found = add_counterexample(held, _verdict(theorem))
    assert (found.answer, found.run, found.worst) == ("violated", None, None)
    assert found.reason == f"I{REACHES[1:]}."
    assert add_counterexample(held, _verdict(theorem, "holds")) is held
    json.dumps(found.to_dict(), allow_nan=False)


def test_what_is_undecided_is_neither_held_nor_wrong(
    boundkit: Any, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Falsification
    _replace_verify(monkeypatch, "holds")
    monkeypatch.setattr(
        examination, "falsify", lambda theorem, **_: said(theorem, "undecided", "Close.", 1.01)
    )
    page = tmp_path / "mine.html"
    answer = boundkit("check", str(mine), "--page", str(page))
    assert answer.code == 1
    assert answer.out.startswith("mine: undecided, an instance may violate it")
    assert ">undecided</span>" in page.read_text(encoding="utf-8")
