"""No input file is executed but a ``.py`` that is named where a command says that it executes one.

Commands and parameters are read off the command line's own table, so that new ones are tested as well.
"""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

import boundkit as bk
from boundkit.cli.commands import COMMANDS
from boundkit.cli.gallery.records import RECORDS
from boundkit.studies.demonstrations import names as demonstrations
from tests.cli.parameters import OUTPUTS, RUN, THEOREM, places, prepare, words

EXECUTED = {
    ("check", "targets"), ("verify", "theorem"), ("attack search", "theorem"), ("attack mutants", "theorem"),
    ("attack worst-case", "theorem"), ("diagnose", "subject"), ("simulate", "theorem"), ("proof", "theorem"),
}  # fmt: skip
"""The parameters that take a Python file, which is executed."""
MARK = "executed"
"""The file that a canary makes where it is executed."""
CODE = f"open({MARK!r}, 'w').close()\n"
OWN = "mine.py"
FILES = (
    "run.json",
    "data.csv",
    "no_suffix",
    THEOREM,
    "record.nc",
    "pickled.json",
    "zipped.json",
    "link.json",
)
FOLDERS = ("folder", "folder.py")
PLACES = list(places("text", "path"))


class Canary:
    """Unpickled, it makes the mark."""

    def __reduce__(self) -> Any:
        return open, (MARK, "w")


@pytest.fixture
def canaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Files and folders whose content makes the mark where Python, pickle or runpy executes it."""
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    _write_canaries()
    return (*FILES, *FOLDERS, OWN)


def _write_canaries() -> None:
    for name in (*FILES[:5], OWN):
        Path(name).write_text(CODE, encoding="utf-8")
    Path("pickled.json").write_bytes(pickle.dumps(Canary()))
    with zipfile.ZipFile("zipped.json", "w") as file:
        file.writestr("__main__.py", CODE)
    Path("link.json").unlink(missing_ok=True)
    Path("link.json").symlink_to(OWN)
    records = [f"{name}.json" for name in (*demonstrations(), "verified", "atlas")]
    for folder in FOLDERS:
        for name in ("__main__.py", "__init__.py", *records):
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(CODE, encoding="utf-8")


def test_a_canary_makes_its_mark(canaries: tuple[str, ...]) -> None:
    import runpy

    for name in canaries:
        if name == "pickled.json":
            pickle.loads(Path(name).read_bytes()).close()
        else:
            runpy.run_path(name)
        Path(MARK).unlink()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_input_file_is_executed(boundkit: Any, canaries: tuple[str, ...], command: str) -> None:
    for k, (named, parameter, figure) in enumerate(PLACES):
        if named != command:
            continue
        is_path = parameter.type.name == "path"
        writes, executes = parameter.name in OUTPUTS, (command, parameter.name) in EXECUTED
        few: tuple[str, ...] = ("folder",) if is_path and writes else (OWN,)
        if is_path and not writes:
            few += canaries[k % 6 :: 6]  # every kind at a sixth of the places
        for canary in canaries if executes else dict.fromkeys(few):
            said = words(command, parameter, canary, figure)
            answer = boundkit(*said)
            assert Path(MARK).exists() == (executes and canary == OWN), said
            Path(MARK).unlink(missing_ok=True)
            assert "issing " not in answer.err, said  # the parameter was reached
            if is_path and not writes:
                assert answer.code == 2, said
            if answer.code == 2:
                assert answer.out == "", said
                assert answer.err.startswith("boundkit: "), said
                assert answer.err.count("\n") == 1, said
            else:
                assert answer.code in (0, 1), said
            if writes or answer.code != 2:
                _write_canaries()  # what was written over


def test_a_run_file_without_the_name_of_a_theorem_is_answered_by_what_is_missing(
    boundkit: Any, canaries: tuple[str, ...]
) -> None:
    for command in ("verify", "attack search", "attack mutants", "check", "attack worst-case", "predict"):
        answer = boundkit(*command.split(), RUN)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err == (
            f"boundkit: {RUN!r} is a run file and no theorem; the name of a theorem comes first, as in "
            f"boundkit verify THEOREM {RUN}.\n"
        )
    assert "is a file that states no theorem" in boundkit("verify", "run.json").err
    assert "a folder is no theorem: 'folder'" in boundkit("check", "folder").err
    assert "a name from boundkit list is needed here" in boundkit("predict", OWN).err


@pytest.mark.parametrize("folder", [False, True])
def test_the_catalogue_is_asked_before_the_current_folder(
    boundkit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    if folder:
        Path(THEOREM).mkdir()
    else:
        Path(THEOREM).write_text(CODE, encoding="utf-8")
    for command, *more in (
        ("check",), ("verify", "--quick"), ("attack search", "--evaluations=1"),
        ("attack mutants", "--evaluations=1"),
    ):  # fmt: skip
        answer = boundkit(*command.split(), THEOREM, *more)
        assert (answer.code, answer.out.split(":")[0]) == (0, THEOREM)
    assert [path.name for path in tmp_path.iterdir()] == [THEOREM]


@pytest.mark.parametrize(
    "function",
    ["check", "falsify", "mutate", "predict", "tune", "worst_case", "ledger", "reductions", "theorem"],
)
def test_functions_of_the_package_take_names_and_execute_no_file(
    canaries: tuple[str, ...], function: str
) -> None:
    """Only ``check`` takes an author's Python file, as the command does."""
    for canary in canaries:
        if canary != THEOREM:
            with pytest.raises(bk.BoundkitError):
                getattr(bk, function)(canary)
            assert Path(MARK).exists() == (function == "check" and canary == OWN)
            Path(MARK).unlink(missing_ok=True)


def test_records_are_read_from_the_folder_that_is_usual(boundkit: Any, canaries: tuple[str, ...]) -> None:
    """The folder that nobody names holds canaries, too."""
    RECORDS.parent.mkdir()
    Path("folder").rename(RECORDS)
    answer = boundkit("figure", "clipping")
    assert answer.code == 2
    assert f"{RECORDS}/clipping.json is not a record" in answer.err
    assert not Path(MARK).exists()
