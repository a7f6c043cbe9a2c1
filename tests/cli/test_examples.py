"""``boundkit examples``: the files of README and documentation, for those who have no clone."""

from pathlib import Path
from typing import Any

import pytest

from boundkit.cli.examples import example_files

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_copies_run_and_are_the_files_of_the_repository(boundkit: Any) -> None:
    answer = boundkit("examples", "--json")
    written = [Path(name) for name in answer.json["written"]]
    assert all(name.parts[0] == "examples" for name in written)
    there = {path.relative_to(ROOT): path for path in (ROOT / "examples").rglob("*") if path.is_file()}
    sources = {name: path for name, path in there.items() if "__pycache__" not in name.parts}
    assert sorted(written) == sorted(sources), "a kind of file that is not copied?"
    assert {name.suffix for name in written} == {".csv", ".json", ".md", ".py"}
    for name in written:
        assert name.read_bytes() == sources[name].read_bytes()
    assert boundkit("objective", "fedavg", "examples/two_clients.json").code == 0
    assert boundkit("figure", "client_drift", "--records", "examples/records", "--out", "a.csv").code == 0


def test_nothing_is_overwritten_unless_asked(boundkit: Any) -> None:
    run = Path("mine/two_clients.json")
    run.parent.mkdir()
    run.write_text("my own run", encoding="utf-8")
    refused = boundkit("examples", "mine")
    assert refused.code == 2
    assert "mine/two_clients.json would be overwritten; name another folder, or give --force" in refused.err
    assert run.read_text(encoding="utf-8") == "my own run"
    assert [file.name for file in run.parent.iterdir()] == ["two_clients.json"]
    assert boundkit("examples", "mine", "--force").out == f"{len(example_files())} files in mine\n"
    assert run.read_bytes() == (ROOT / "examples" / "two_clients.json").read_bytes()
    assert boundkit("examples", "mine/two_clients.json").code == 2
