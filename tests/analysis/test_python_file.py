"""A user's own Python file: which files are executed, and what is left behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.python_file import execute

CODE = "open('executed', 'w').close()\nx = 3\n"


@pytest.mark.parametrize("name", ["run.json", "data", "mine.PY", "mine.py.txt", "mine.pyc", "py"])
def test_a_file_whose_name_does_not_end_in_py_is_not_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(CODE, encoding="utf-8")
    with pytest.raises(BoundkitError, match=f"{name} is not executed: the name of a Python file ends in .py"):
        execute(name, "x")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_folder_and_a_pipe_with_the_ending_are_not_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.py").mkdir()
    Path("folder.py/__main__.py").write_text(CODE, encoding="utf-8")
    os.mkfifo("pipe.py")  # opening it would wait for ever
    for name, said in (("folder.py", "it is not a file"), ("pipe.py", "it is a named pipe")):
        with pytest.raises(BoundkitError, match=said):
            execute(name, "x")
    assert not Path("executed").exists()


def test_names_are_given_back_and_no_module_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path, modules = tmp_path / "numpy.py", set(sys.modules)
    path.write_text(CODE + "main = __name__ == '__main__'\n", encoding="utf-8")
    found = execute(path, "x")
    assert (found["x"], found["main"]) == (3, False)
    assert Path("executed").exists()
    assert set(sys.modules) == modules
    assert getattr(sys.modules.get("numpy"), "__file__", "") != str(path)
