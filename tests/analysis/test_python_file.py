"""A user's own Python file: which files are executed, and what is left behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.python_file import StatementError, execute, theorems_in
from boundkit.theorems import theorem

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


def test_a_forgotten_argument_is_named_with_what_was_called(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    for call, said in {
        "derived('gap', L)": "derived lacks the argument 'because'.",
        "Term('gap')": "Term lacks the arguments 'expr' and 'provenance'.",
        "stated()": "stated lacks the arguments 'cause', 'expr', and 'because'.",
    }.items():
        path.write_text(f"from boundkit.algebra.authoring import *\nx = {call}\n", encoding="utf-8")
        with pytest.raises(BoundkitError) as refusal:
            execute(path, "a theorem")
        assert str(refusal.value) == f"{path}, line 2: {said}"


KNOWN = {"sgd_nonconvex": theorem("sgd_nonconvex")}
HEAD = """\
from dataclasses import replace
from boundkit.algebra import Source, Term, Theorem
from boundkit.algebra.notation import L, T, eta, gap
from boundkit.algebra.vocabulary import MEAN_SQUARED_GRADIENT, SMOOTH
START = Term("initial gap", 2 * gap / (eta * T), "derived", because="the descent lemma")
SOURCE = Source(("Me",), 2026, "A Note", "2601.00001", "Theorem 1")
def build(name, term=START):
    return Theorem(name=name, algorithm="x", claim=MEAN_SQUARED_GRADIENT,
                   assumptions=(SMOOTH,), terms=(term,), source=SOURCE)
"""


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def message_of(path: Path) -> str:
    with pytest.raises(BoundkitError) as caught:
        theorems_in(path, KNOWN)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_all_theorems_of_a_file_are_found_in_its_order(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "b = build('b')\nTHEOREM = build('a')\nAGAIN = b\n")
    assert [t.name for t in theorems_in(path)] == ["b", "a"]


def test_theorems_imported_from_the_catalogue_are_left_out(tmp_path: Path) -> None:
    imported = "from boundkit.theorems.sgd_nonconvex import THEOREM as OTHER\n"
    path = written(tmp_path, HEAD + imported + "THEOREM = build('a')\n")
    assert [t.name for t in theorems_in(path, KNOWN)] == ["a"]
    assert "defines no theorem" in message_of(written(tmp_path, imported))


def test_neighbours_can_be_imported_and_dataclasses_find_their_module(tmp_path: Path) -> None:
    written(tmp_path, "NAME = 'a'\n", "neighbour_of_mine.py")
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    text += (
        HEAD + "@dataclass\nclass Note:\n    text: str\nfrom neighbour_of_mine import NAME\nx = build(NAME)\n"
    )
    before = list(sys.path)
    assert [t.name for t in theorems_in(written(tmp_path, text))] == ["a"]
    assert sys.path == before
    assert not (tmp_path / "__pycache__" / "mine.pyc").exists()
    sys.modules.pop("neighbour_of_mine")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = (\n", r", line 1 is no Python \('\(' was never closed\): x = \("),
        ("x = 1\n  y = 2\n", r", line 2 is no Python \(unexpected indent\): y = 2"),
        ("x = 1\n", "defines no theorem"),
        ("", "defines no theorem"),
        ("\n\n1 / 0\n", ", line 3: ZeroDivisionError: division by zero."),
        ("import nothing_of_that_name\n", ", line 1: ModuleNotFoundError: No module named"),
        (
            "raise ModuleNotFoundError(name='torch.nn')\n",
            r", line 1: .*torch, .*: pip install 'boundkit\[torch\]'\.$",
        ),
        ("raise SystemExit(3)\n", "leaves Python instead of defining a theorem"),
        ("raise RuntimeError\n", ", line 1: RuntimeError: without a message"),
        ("x = '\x00'\n", "is no Python"),
        ("# coding: nonsense\n", "is no Python"),
        (HEAD + "a = build('a')\nb = build('a')\n", "two theorems called 'a'"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    import re

    sentence = message_of(written(tmp_path, text))
    assert re.search(expected, sentence), sentence
    assert "Traceback" not in sentence
    assert "\n" not in sentence


def test_missing_files_folders_and_binary_files(tmp_path: Path) -> None:
    assert "cannot be read" in message_of(tmp_path / "missing.py")
    assert "cannot be read: it is not a file" in message_of(tmp_path)
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00x")
    assert "is no Python" in message_of(tmp_path / "bytes.py")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = build('a', replace(START, expr=gap))", r"line 8: theorem a: the term 'initial gap', gap, has"),
        ("x = build('A')", "line 8: the name 'A' must be lower case"),
        ("x = replace(START, because='')", "line 10: the term 'initial gap' needs a reason"),
        ("x = replace(START, cause='client drif')", "line 10: unknown cause 'client drif'; did you mean"),
    ],
)
def test_an_invalid_theorem_is_reported_with_its_line(tmp_path: Path, line: str, expected: str) -> None:
    import re

    with pytest.raises(StatementError) as caught:
        theorems_in(written(tmp_path, HEAD + line + "\n"))
    assert re.search(expected, str(caught.value))
