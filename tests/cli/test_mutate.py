"""``boundkit attack mutants``: exit codes, what scripts rely on, resuming, and one sentence for a mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boundkit.cli.attack_mutants import run

WRONG = """\
from dataclasses import replace

from boundkit.algebra.notation import T
from boundkit.theorems import theorem

_SGD = theorem("sgd_nonconvex")
THEOREM = replace(
    _SGD,
    name="mine",
    terms=tuple(replace(term, expr=term.expr * T) for term in _SGD.terms),
)
"""


def test_a_theorem_without_survivors_is_0(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given: dict[str, Any] = {"evaluations": 2, "out": tmp_path, "as_json": True}
    assert run("fedavg_surrogate_optimum", **given) == 0
    (found,) = json.loads(capsys.readouterr().out)["theorems"]
    assert found["theorem"] == "fedavg_surrogate_optimum"
    killed = [one for one in found["mutants"] if one["outcome"] == "killed"]
    assert {one["by"] for one in killed} >= {"dimension", "limit"}
    assert (tmp_path / "mutants.md").read_text(encoding="utf-8").startswith("| theorem")

    written = (tmp_path / "fedavg_surrogate_optimum.json").stat().st_mtime_ns
    assert run("fedavg_surrogate_optimum", **given) == 0  # read, not computed
    again = json.loads(capsys.readouterr().out)["theorems"]
    assert again == [found]
    assert (tmp_path / "fedavg_surrogate_optimum.json").stat().st_mtime_ns == written


def test_a_file_is_mutated_as_a_name_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WRONG, encoding="utf-8")
    code = run(str(path), evaluations=1)  # a bound that is T times too large leaves room for mistakes
    said = capsys.readouterr().out
    assert said.startswith("mine: ")
    assert code in (0, 1)
    assert ("survived (" in said) == (code == 1)
    assert "inside slack" in said or "survived" in said
