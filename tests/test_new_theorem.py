"""docs/new_theorem.md: its story happens, its theorem passes, its session runs, and its promises are kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boundkit.analysis.python_file import theorems_in
from boundkit.attack.user_theorem.reductions import suggest_reductions
from boundkit.cli.new_theorem import theorem_file
from boundkit.theorem_targets import KnownTheorems
from tests.cli.conftest import boundkit
from tests.docs.shown import agrees, consoles
from tests.readme import blocks, python_blocks
from tests.test_readme import ROOT, desk, failed_python

__all__ = ["boundkit", "desk"]

TEXT = (ROOT / "docs" / "new_theorem.md").read_text(encoding="utf-8")
FILE = python_blocks(TEXT)[0].text
WRONG, RIGHT = (block.text for block in blocks(TEXT) if block.language == "diff")


@pytest.fixture
def with_file(desk: Path) -> Path:
    (desk / "mine.py").write_text(FILE, encoding="utf-8")
    return desk


def edited(text: str, diff: str) -> str:
    """A text with the line that a diff takes away replaced by the one that it puts there."""
    away, put = (line[1:] for line in diff.splitlines())
    assert text.count(away) == 1
    return text.replace(away, put)


def test_the_story_happens(with_file: Path, boundkit: Callable[..., Any], monkeypatch: Any) -> None:
    monkeypatch.chdir(with_file)
    ends = []
    for shown in consoles(TEXT):
        answer = boundkit(*shown.command.split()[1:])
        assert agrees(shown.output, answer.out), answer.out
        ends.append(answer.code)
        if "new-theorem" in shown.command:
            file = with_file / "drift.py"
            file.write_text(edited(file.read_text(encoding="utf-8"), WRONG), encoding="utf-8")
    assert ends == [0, 1, 1, 0, 0]
    file.write_text(edited(file.read_text(encoding="utf-8"), RIGHT), encoding="utf-8")
    known = KnownTheorems()
    (mended,) = theorems_in(file, known)
    assert (suggest_reductions(mended, known)[0].to, suggest_reductions(mended, known)[0].when) == (
        "fedavg_nonconvex_long_steps",
        "",
    )


@pytest.mark.slow
def test_the_mended_file_passes(desk: Path, boundkit: Callable[..., Any]) -> None:
    file = desk / "drift.py"
    file.write_text(edited(edited(theorem_file("drift"), WRONG), RIGHT), encoding="utf-8")
    mended = boundkit("check", str(file), "--evaluations", "24", "--verbose")
    assert mended.code == 0
    assert "everywhere it is fedavg_nonconvex_long_steps" in mended.out


def test_the_session_runs_and_ends_with_the_reduction_that_is_shown(
    with_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(with_file)
    assert failed_python(TEXT) == ""
    assert capsys.readouterr().out.splitlines()[-1] == TEXT.split("This prints `")[1].split("`")[0]
