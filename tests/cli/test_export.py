"""``boundkit export``."""

from pathlib import Path

import pytest

from boundkit.analysis.export import export
from boundkit.proofs.printing import theorem_page
from boundkit.theorems import theorem
from tests.cli.conftest import Command


def test_prints_one_theorem(boundkit: Command) -> None:
    for form in ("latex", "bibtex", "javascript"):
        said = boundkit("export", "sgd_nonconvex", "--format", form)
        assert said.out.strip() == export(theorem("sgd_nonconvex"), form).strip()
    page = boundkit("export", "sgd_nonconvex", "--format", "markdown").out
    assert page.strip() == theorem_page(theorem("sgd_nonconvex")).strip()
    told = boundkit("export", "sgd_nonconvex", "--format", "bibtex", "--json").json
    assert told["text"] == theorem("sgd_nonconvex").source.bibtex()


def test_writes_all_theorems_and_their_index(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: theorem(name) for name in ("sgd_nonconvex", "fedavg_nonconvex_partial", "mifa_nonconvex")}
    monkeypatch.setattr("boundkit.theorems.catalogue", lambda: few)
    answer = boundkit("export", "--all", "--format", "markdown", "--out", str(tmp_path / "pages"), "--json")
    written = {Path(path).name for path in answer.json["written"]}
    assert written == {f"{name}.md" for name in few} | {"README.md"}
    assert {path.name for path in (tmp_path / "pages").iterdir()} == written
    index = (tmp_path / "pages" / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}]({name}.md)" in index for name in few)


def test_writes_one_file(boundkit: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.tex"
    assert boundkit("export", "sgd_nonconvex", "--out", str(path)).out.strip() == str(path)
    assert path.read_text(encoding="utf-8").strip() == export(theorem("sgd_nonconvex"), "latex").strip()
