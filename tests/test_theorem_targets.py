"""What stands for a theorem on the command line: a name of the catalogue, or a Python file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.analysis.check import CheckResult
from boundkit.attack.user_theorem import Examination
from boundkit.cli import main
from boundkit.cli.new_theorem import theorem_file
from boundkit.theorem_targets import file_and_name, theorem_of, theorems_of
from tests.cases import each


@each(
    ("target", "parts"),
    [
        ("mine.py", ("mine.py", "")),
        ("a/b.py:two", ("a/b.py", "two")),
        ("a.py:b.py", ("a.py:b.py", "")),
        ("a.py/run.json", None),
        ("a.py:b:c", None),
        ("run.json", None),
        ("sgd_nonconvex", None),
        ("", None),
    ],
)
def test_a_file_is_told_by_its_ending(target: str, parts: tuple[str, str] | None) -> None:
    assert file_and_name(target) == parts


def test_one_theorem_of_a_file_is_taken_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = theorem_file("one", "sgd_nonconvex")
    path.write_text(text + text[text.index("THEOREM = ") :].replace("THEOREM", "OTHER").replace("one", "two"))
    assert [found.name for found in theorems_of(str(path))] == ["one", "two"]
    assert theorem_of(f"{path}:two").name == "two"
    with pytest.raises(BoundkitError, match=r"defines 2 theorems, one, two; name one, as in .*mine\.py:one"):
        theorem_of(str(path))
    with pytest.raises(BoundkitError, match="did you mean 'two'"):
        theorem_of(f"{path}:tow")


def test_check_answers_what_the_command_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    text = theorem_file("one", "sgd_nonconvex")
    path.write_text(text, encoding="utf-8")
    one = bk.check(str(path), static=True)
    assert isinstance(one, CheckResult)
    with pytest.raises(SystemExit):
        main(["check", str(path), "--static", "--json"])
    assert json.loads(capsys.readouterr().out) == [one.to_dict()]
    assert "14 checks passed" in one.report().to_markdown()
    assert "<table" in one.report(verbose=True).to_html()
    path.write_text(text + text[text.index("THEOREM = ") :].replace("THEOREM", "OTHER").replace("one", "two"))
    several = bk.check(str(path), static=True)
    assert isinstance(several, list)
    assert [each.to_dict()["theorem"] for each in several] == ["one", "two"]
    path.write_text(text.replace("eta * L", "eta"), encoding="utf-8")
    refused = bk.check(str(path))  # a theorem that cannot be built needs no run to fail
    assert isinstance(refused, CheckResult)
    assert not refused


def test_check_tests_on_runs_where_a_search_is_asked_for() -> None:
    examination = bk.check("sgd_nonconvex", evaluations=2)
    assert isinstance(examination, Examination)
    assert examination.to_dict()["theorem"] == "sgd_nonconvex"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"static": True, "budget": 3.0}, "budget is about runs, but static makes none"),
        ({"budget": -3.0}, "budget"),
        ({"seed": -1}, "seed"),
    ],
)
def test_check_refuses_limits_of_no_search(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BoundkitError, match=words):
        bk.check("sgd_nonconvex", **given)
