"""``boundkit new-theorem``: a file that passes its check, of the template and of every theorem there is."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from boundkit.analysis.check import check
from boundkit.analysis.python_file import theorems_in
from boundkit.cli.new_theorem import theorem_file
from boundkit.theorem_targets import KnownTheorems
from boundkit.theorems import names, theorem
from tests.cases import each
from tests.representatives import aside

FEW = ("fedavg_convex_sharp", "fednova_nonconvex", "sgd_nonconvex")
"""Copies are checked of a theorem that takes its words from another, one of vectors, and a plain one."""


def test_the_fresh_file_passes_its_check(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = boundkit("new-theorem", "mine")
    assert (answer.code, answer.err) == (0, "")
    assert "boundkit check mine.py" in answer.out
    (found,) = theorems_in("mine.py", KnownTheorems())
    assert found.name == "mine"
    assert boundkit("check", "mine.py", "--static").code == 0


def test_it_is_the_theorem_that_the_catalogue_has() -> None:
    """What stands in the template is what fedavg_nonconvex proves."""
    from boundkit.theorems._template import THEOREM

    known = theorem("fedavg_nonconvex")
    assert THEOREM.bound.total == known.bound.total
    assert THEOREM.step_size == known.step_size
    assert {a.name for a in THEOREM.assumptions} == {a.name for a in known.assumptions}


@each("name", names())
def test_every_theorem_may_be_the_start(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(theorem_file("mine", name), encoding="utf-8")
    (found,) = theorems_in(path, KnownTheorems())
    known = theorem(name)
    assert (found.name, found.source.authors) == ("mine", ("Your Name",))
    assert (found.bound.total, found.step_size) == (known.bound.total, known.step_size)
    assert not _unused(path.read_text(encoding="utf-8"))


def _unused(text: str) -> set[str]:
    tree = ast.parse(text)
    imported = {a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    return imported - {"*"} - {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


@each("name", aside(names(), *(set(names()) - set(FEW))))
def test_a_copy_passes_what_the_theorem_passes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(theorem_file("mine", name), encoding="utf-8")
    (found,) = theorems_in(path, KnownTheorems())
    assert check(found, KnownTheorems({"mine": found}))


def test_a_file_that_is_there_stays_as_it_is(boundkit: Any, tmp_path: Path) -> None:
    out = tmp_path / "mine.py"
    out.write_text("x = 1\n", encoding="utf-8")
    answer = boundkit("new-theorem", "mine", "--out", str(out))
    assert (answer.code, answer.out) == (2, "")
    assert "is there already and stays as it is" in answer.err
    assert out.read_text(encoding="utf-8") == "x = 1\n"
