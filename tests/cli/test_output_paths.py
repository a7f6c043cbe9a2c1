"""Every file and folder that a command writes is tested before anything is computed; no name is empty.

Commands and parameters are read off the command line's own table, so that new ones are tested as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import pytest

from boundkit.cli.commands import COMMANDS
from tests.cli.parameters import OUTPUTS, THEOREM, places, prepare, words

ROOT = Path(__file__).resolve().parents[2]

COMPUTING = (
    "boundkit.cli.progress.progress",
    "boundkit.analysis.compare.compare",
    "boundkit.analysis.export.export",
    "boundkit.analysis.lattice.relation",
    "boundkit.analysis.lattice.page_text",
    "boundkit.analysis.reductions.reductions",
    "boundkit.analysis.regimes.regimes",
    "boundkit.proofs.ledger",
    "boundkit.attack.user_theorem.examine",
    "boundkit.cli.new_theorem.theorem_file",
)
"""What begins where a command computes. Every command that takes long has a progress bar."""
ENDINGS = {"plot": ".svg", "page": ".html", "report": ".html", "summary": ".json", "record": ".json"}
OUT_ENDINGS = {"figure": ".svg", "demonstrate": ".csv", "new-theorem": ".py"}
READS_ITS_OWN_RECORD = [("figure", "records", "atlas")]
"""A record of the package is drawn, whatever the folder of records is."""
PATHS = list(places("path"))


def compute(*_: object, **__: object) -> NoReturn:
    raise AssertionError("it computes before it tests where to write")


@pytest.mark.parametrize("command", [c for c in COMMANDS if any(c == place[0] for place in PATHS)])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_computed(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    Path("file").write_text("", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for name in COMPUTING:
        monkeypatch.setattr(name, compute)
    for named, parameter, figure in PATHS:
        option = parameter.name
        if named != command or option not in OUTPUTS or (named, option, *figure) in READS_ITS_OWN_RECORD:
            continue
        ending = OUT_ENDINGS.get(command, "") if option == "out" else ENDINGS.get(option, "")
        name = f"{THEOREM}.nc" if figure[:1] == ["bound_against_run"] else f"place{ending}"
        said = words(command, parameter, f"file/{name}", figure)
        answer = boundkit(*said)
        assert (answer.code, answer.out) == (2, ""), said
        assert "cannot be written: Not a directory" in answer.err, said
        assert answer.err.count("\n") == 1, said
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("command", [c for c in COMMANDS if any(c == place[0] for place in PATHS)])
def test_an_empty_name_is_refused(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for named, parameter, figure in PATHS:
        if named == command:
            said = words(command, parameter, "", figure)
            answer = boundkit(*said)
            assert (answer.code, answer.out) == (2, ""), said
            assert "an empty name is no file and no folder" in answer.err, said
            assert answer.err.count("\n") == 1, said
    assert sorted(tmp_path.rglob("*")) == before


def test_what_was_tested_and_then_not_computed_leaves_no_folder(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert (
        boundkit("simulate", "fedavg", "two_clients.json", "--out", "new/a/b.json", "--engine", "x").code == 2
    )
    assert boundkit("verify", "sgd_nonconvex", "two_clients.jso", "--out", "new").code == 2
    assert boundkit("attack", "mutants", "sgd_nonconvx", "--out", "new").code == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_an_answer_is_not_written_over_its_input(boundkit: Any, tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    run.write_bytes((ROOT / "examples" / "two_clients.json").read_bytes())
    link = tmp_path / "link.json"
    link.symlink_to(run)
    before = run.read_bytes()
    for command in ("simulate", "fedavg", "--out"), ("diagnose", "--out"), ("verify", "--all", "--summary"):
        for out in (run, link, tmp_path / "." / "run.json"):
            answer = boundkit(*command, str(out), str(run))
            assert (answer.code, answer.out) == (2, "")
            assert answer.err.count("\n") == 1
            assert "is the file of" in answer.err
    assert run.read_bytes() == before
