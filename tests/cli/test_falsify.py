"""``boundkit attack search``: exit codes, files that replay, a second call that resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.theorems import theorem

WRONG = """\
from dataclasses import replace
from boundkit.theorems import theorem

_right = theorem("sgd_nonconvex")
MINE = replace(
    _right, name="mine", reductions=(), limits=(),
    terms=tuple(replace(t, expr=t.expr / 20) if t.label == "initial gap" else t for t in _right.terms),
)
"""


def test_a_theorem_that_stands_is_exit_code_0(boundkit: Any) -> None:
    answer = boundkit("attack", "search", "sgd_strongly_convex", "--evaluations", "6")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("sgd_strongly_convex: not broken")
    assert "the worst instance" in answer.out


def test_a_users_own_mistake_is_exit_code_1_with_a_run_that_replays_it(boundkit: Any, tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(WRONG, encoding="utf-8")
    plot = tmp_path / "mine.png"
    asked = (
        "attack",
        "search",
        str(mine),
        "--evaluations",
        "12",
        "--out",
        str(tmp_path),
        "--plot",
        str(plot),
    )
    answer = boundkit(*asked, "--json")
    assert answer.code == 1
    assert answer.json["answer"] == "violated"
    assert json.loads((tmp_path / "mine.run.json").read_text(encoding="utf-8")) == answer.json["run"]
    record = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))
    assert record == {name: value for name, value in answer.json.items() if name != "seconds"}
    assert plot.stat().st_size > 1000
    verdict = boundkit("verify", "sgd_nonconvex", str(tmp_path / "mine.run.json"), "--no-slopes", "--json")
    assert verdict.json["verdict"] == "holds"


def test_all_resumes_and_another_search_leaves_the_same_bytes(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: theorem(name) for name in ("sgd_strongly_convex", "fedavg_surrogate_optimum")}
    monkeypatch.setattr("boundkit.theorems.catalogue", lambda: few)

    def asked(folder: str) -> list[str]:
        words = ["attack", "search", "--all", "--evaluations", "3", "--jobs", "1"]
        return [*words, "--out", str(tmp_path / folder)]

    first, other = boundkit(*asked("first"), "--json"), boundkit(*asked("second"), "--json")
    assert (first.code, [one["theorem"] for one in first.json]) == (0, list(few))
    assert all(one["seconds"] >= 0 for one in [*first.json, *other.json] if one["tried"])
    left = [
        {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "first", tmp_path / "second")
    ]
    assert left[0] == left[1]
    assert {"sgd_strongly_convex.json", ".sweep/sgd_strongly_convex.json.json"} <= set(left[0])

    def refused(*given: object) -> None:
        raise AssertionError("it was computed again")

    monkeypatch.setattr("boundkit.attack.falsify.falsify_one", refused)
    assert boundkit(*asked("first"), "--json").json == [{**one, "seconds": None} for one in first.json]
    said = " ".join(boundkit(*asked("first")).out.split("\n"))
    assert "fedavg_surrogate_optimum  not broken" in said
