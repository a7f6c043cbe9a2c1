"""boundkit verify --all: who works, what is kept, and the page at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import boundkit.theorems
from boundkit.algebra import Theorem
from boundkit.theorems import catalogue
from boundkit.verification import verdict_sweep as module
from boundkit.verification.verdict import Verdict
from tests.cli.conftest import Command

FEW = ("fedavg_nonconvex", "sgd_nonconvex", "fednova_nonconvex_tuned")
TWO = str(Path(__file__).resolve().parents[2] / "examples" / "two_clients.json")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A catalogue of three theorems."""
    known = catalogue()
    monkeypatch.setattr(boundkit.theorems, "catalogue", lambda: {name: known[name] for name in FEW})
    return list(FEW)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of every verification that runs from now on, none of which does anything."""
    seen: list[dict[str, Any]] = []

    def stand_in(
        theorem: Theorem, problem: object = None, *, progress: object = None, **options: Any
    ) -> Verdict:
        seen.append({"theorem": theorem.name, **options})
        return Verdict(theorem, "not applicable", "nothing ran")

    monkeypatch.setattr(module, "verify", stand_in)
    return seen


def test_the_report_lies_beside_the_records(boundkit: Command, few: list[str], tmp_path: Path) -> None:
    words = ("verify", "--all", TWO, "--no-slopes", "--jobs", "1", "--out", str(tmp_path))
    answer = boundkit(*words)
    assert answer.code == 0
    assert str(tmp_path / "report.html") in answer.out
    assert {p.name for p in tmp_path.iterdir()} == {".sweep", "report.html", *(f"{n}.nc" for n in few)}
    text = (tmp_path / "report.html").read_text()
    assert all(name.replace("_", "_<wbr>") in text for name in few)


def test_a_second_call_reads_the_records(
    boundkit: Command, few: list[str], asked: list[dict[str, Any]], tmp_path: Path
) -> None:
    words = ("verify", "--all", "--jobs", "1", "--out", str(tmp_path), "--json")
    first = boundkit(*words).json
    assert [v["theorem"] for v in first] == few
    assert boundkit(*words).json == first
    assert len(asked) == 3
    boundkit(*words, "--seed", "1")
    assert len(asked) == 6
    (tmp_path / f"{few[1]}.nc").write_bytes(b"torn")
    boundkit(*words, "--seed", "1")
    assert [a["theorem"] for a in asked[6:]] == [few[1]]
    boundkit(*words, "--seed", "1", "--fresh")
    assert len(asked) == 10


def test_quick_is_passed_on_and_leaves_the_slopes_out(
    boundkit: Command, few: list[str], asked: list[dict[str, Any]]
) -> None:
    boundkit("verify", "--all", "--quick", "--jobs", "1")
    assert all(a["quick"] is True and a["slopes"] is False for a in asked)
    boundkit("verify", "--all", "--jobs", "1")
    assert all("quick" not in a and a["slopes"] is True for a in asked[3:])
