"""Three mistakes planted in fresh files: each is caught by ``check``, with a run that shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.attack.user_theorem.planted import PLANTED, mistaken
from tests.cli.conftest import boundkit
from tests.representatives import aside

__all__ = ["boundkit"]
FEW, MORE = "8", "24"
"""Instances that are enough to break it, and to find a simple one."""
DRIFT, GAP, ABSENT = PLANTED


@pytest.mark.parametrize(
    "mistake", aside((DRIFT, GAP), DRIFT)
)  # docs/new_theorem.md tells the one of the drift
def test_a_planted_mistake_is_caught_and_its_run_shows_it(
    boundkit: Any, tmp_path: Path, mistake: str
) -> None:
    file, out = tmp_path / "mine.py", tmp_path / "out"
    file.write_text(mistaken(PLANTED[mistake]), encoding="utf-8")
    answer = boundkit("check", str(file), "--evaluations", FEW, "--out", str(out), "--json")
    (found,) = answer.json
    assert (answer.code, answer.err, found["passed"]) == (1, "", False)
    assert {c["outcome"] for c in found["checks"]} == {"pass", "not applicable"}  # no run, no mistake seen
    assert found["falsified"]["answer"] == "violated"
    run = out / "mine.run.json"
    assert json.loads(run.read_text(encoding="utf-8")) == found["falsified"]["run"]
    _shows(boundkit, file, run)


def test_the_page_says_what_broke_it_and_how_to_see_it_again(boundkit: Any, tmp_path: Path) -> None:
    file, run = tmp_path / "mine.py", tmp_path / "out" / "mine.run.json"
    page, picture = tmp_path / "mine.html", tmp_path / "mine.svg"
    file.write_text(mistaken(PLANTED[ABSENT]), encoding="utf-8")
    told = ("--out", str(run.parent), "--page", str(page), "--plot", str(picture), "--verbose")
    answer = boundkit("check", str(file), "--evaluations", MORE, *told)
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.startswith("mine: wrong, an instance violates it\n\nSummary\n")
    assert f"\n    boundkit verify {file} {run}\n" in answer.out
    assert answer.out.endswith(f"\n\nwritten {picture}\nwritten {page}\n")
    text = page.read_text(encoding="utf-8")
    for said in ("was measured where the bound is 0.", "start x0 = 0, the optimum"):
        assert said in " ".join(answer.out.split())
        assert said in text
    assert "<script" not in text
    assert picture.stat().st_size > 1000
    _shows(boundkit, file, run)


def _shows(boundkit: Any, file: Path, run: Path) -> None:
    """The run that was kept violates the theorem when it is made once more."""
    again = boundkit("verify", str(file), str(run), "--quick", "--json")
    assert (again.code, again.json["verdict"]) == (1, "violated")
