"""What stands for a theorem on the command line: a name of the catalogue, or a Python file."""

from __future__ import annotations

from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.cli.new_theorem import theorem_file
from boundkit.cli.theorem_argument import file_and_name, theorem_of, theorems_of
from boundkit.theorems import theorem


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("mine.py", ("mine.py", "")),
        ("a/b.py:two", ("a/b.py", "two")),
        ("a.py:b.py", ("a.py:b.py", "")),
        ("a.py/run.json", None),
        ("a.py:b:c", None),
        ("run.json", None),
        ("sgd_nonconvex", None),
        ("", None),
    ],
)
def test_a_file_is_told_by_its_ending(target: str, parts: tuple[str, str] | None) -> None:
    assert file_and_name(target) == parts


def test_one_theorem_of_a_file_is_taken_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = theorem_file("one", "sgd_nonconvex")
    path.write_text(text + text[text.index("THEOREM = ") :].replace("THEOREM", "OTHER").replace("one", "two"))
    assert [found.name for found in theorems_of(str(path))] == ["one", "two"]
    assert theorem_of(f"{path}:two").name == "two"
    with pytest.raises(BoundkitError, match=r"defines 2 theorems, one, two; name one, as in .*mine\.py:one"):
        theorem_of(str(path))
    with pytest.raises(BoundkitError, match="did you mean 'two'"):
        theorem_of(f"{path}:tow")


def test_a_file_or_folder_of_the_name_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sgd_nonconvex").write_text("raise SystemExit", encoding="utf-8")
    Path("fedavg_nonconvex").mkdir()
    for name in ("sgd_nonconvex", "fedavg_nonconvex"):
        assert theorem_of(name) is theorem(name)
