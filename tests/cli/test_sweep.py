"""boundkit sweep: settings in words, a table, records that resume; docs/sweeps.md."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from boundkit.algebra import BoundkitError
from boundkit.cli.parameter_values import read_axes
from boundkit.simulation.sweeps import simulations
from tests.cases import each
from tests.cli.conftest import Command
from tests.readme import blocks

ROOT = Path(__file__).resolve().parents[2]
TWO = str(ROOT / "examples" / "two_clients.json")


@each(
    ("words", "axes"),
    [
        (["eta=0.1,0.2", "tau=1,4"], {"eta": [0.1, 0.2], "tau": [1, 4]}),
        (["rounds=1:100:3:log"], {"rounds": [1, 10, 100]}),
        (["eta=1:2:3"], {"eta": [1.0, 1.5, 2.0]}),
        (["aggregation=mean,all"], {"aggregation": ["mean", "all"]}),
        (["wait=true,false"], {"wait": [True, False]}),
        (["cutoff=null,50"], {"cutoff": [None, 50]}),
        (["local_steps=2,[1,5]"], {"local_steps": [2, [1, 5]]}),
        (["clusters=[[0,1],[2]]"], {"clusters": [[[0, 1], [2]]]}),
        (['participation={"kind": "uniform", "C": 0.5}'], {"participation": [{"kind": "uniform", "C": 0.5}]}),
        ([], {}),
    ],
)  # fmt: skip
def test_words_are_axes(words: list[str], axes: dict[str, list[Any]]) -> None:
    assert read_axes(words) == axes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["eta"], "is not name=value"),
        (["eta="], "is not name=value"),
        (["eta=1", "eta=2"], "eta is given twice"),
        (["eta=1,,2"], "a value that is empty"),
        (["clusters=[[0,1]"], "bracket that is not closed"),
        (["clusters=[0 1]"], "is not JSON"),
        (["eta=NaN"], "is not a finite number"),
    ],
)
def test_words_that_are_none(words: list[str], said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        read_axes(words)


def test_the_table_has_a_line_for_every_combination(boundkit: Command) -> None:
    words = ("sweep", "fedavg", TWO, "eta=0.05,0.1,90", "tau=1,4", "rounds=100", "--jobs", "1")
    answer = boundkit(*words)
    assert answer.code == 0
    head, *lines = answer.out.splitlines()
    assert head.split("  ")[0] == "eta"
    assert "F - inf F" in head
    assert [line.split()[:2] for line in lines] == [
        ["0.05", "1"], ["0.05", "4"], ["0.1", "1"], ["0.1", "4"], ["90", "1"], ["90", "4"]
    ]  # fmt: skip
    assert "diverged in round" in lines[-1]
    assert lines[-1].split()[-1] == "-"
    assert "nan" not in answer.out
    rows = boundkit(*words, "--json").json
    assert [row["outcome"] for row in rows[-2:]] == ["diverged", "diverged"]
    assert rows[-1]["final"] == {}
    assert rows[0]["final"]["loss_gap"]["standard_error"] == 0  # nothing is random here


def test_out_keeps_records_and_a_table_and_resumes(boundkit: Command, tmp_path: Path) -> None:
    words = ("sweep", "fedavg", TWO, "eta=0.05,0.1", "--jobs", "1", "--out", str(tmp_path), "--json")
    first = boundkit(*words).json
    assert [json.loads(Path(row["record"]).read_text())["varied"] for row in first] == [
        {"eta": 0.05}, {"eta": 0.1}
    ]  # fmt: skip
    with (tmp_path / "table.csv").open() as file:
        assert [line["eta"] for line in csv.DictReader(file)] == ["0.05", "0.1"]
    before = Path(first[0]["record"]).stat().st_mtime_ns
    assert boundkit(*words).json == first
    assert Path(first[0]["record"]).stat().st_mtime_ns == before
    assert boundkit(*words, "--fresh").json == first
    assert Path(first[0]["record"]).stat().st_mtime_ns > before


def test_a_folder_that_is_removed_in_the_middle_is_noticed(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, true, calls = tmp_path / "out", simulations._simulated, []

    def removing(*given: Any) -> dict[str, Any]:
        calls.append(given)
        if len(calls) == 4:
            shutil.rmtree(out)
        return true(*given)

    monkeypatch.setattr(simulations, "_simulated", removing)
    words = ("sweep", "fedavg", TWO, "eta=0.01:0.1:6", "rounds=3", "--jobs", "1", "--out", str(out))
    answer = boundkit(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(
        f"6 runs\nboundkit: 3 of 6 records were removed from {out} while the command ran: "
    )
    assert answer.err.count("\n") == 2
    assert len(list(out.glob("fedavg-*.json"))) == 3
    assert boundkit(*words).code == 0
    assert len(calls) == 9
    assert len(list(out.glob("fedavg-*.json"))) == 6


PAGE = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")


def test_the_first_sweep_prints_what_the_page_shows(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *shown = blocks(PAGE)[0].text.splitlines()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    answer = boundkit(*shlex.split(first)[2:], "--jobs", "1")
    assert answer.code == 0
    told, expected = answer.out.splitlines(), "\n".join(shown).splitlines()
    assert len(told) == len(expected)
    for line, other in zip(told, expected, strict=True):
        for word, said in zip(line.split(), other.split(), strict=True):
            if (
                "e-30" in said or "e-29" in said
            ):  # nothing but rounding, which differs from machine to machine
                assert float(word) < 1e-25
            else:
                assert word == said
