"""Files appear whole or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation import atomic_files
from boundkit.simulation.atomic_files import refuse_unwritable, replacing
from tests.simulation.sweeps.long_sweep import environment

posix = pytest.mark.skipif(os.name != "posix", reason="whether a process has ended is seen on POSIX only")


def test_a_file_takes_its_place_when_the_block_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    with replacing(path) as beside:
        assert beside.parent == path.parent
        assert beside.suffix == ".txt"
        assert not path.exists()
        beside.write_text("whole")
    assert path.read_text() == "whole"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_what_was_there(failure: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as beside:
            beside.write_text("half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.mkdir()
    with pytest.raises(BoundkitError, match=r"b\.txt cannot be written: "), replacing(path) as beside:
        beside.write_text("new")
    assert [p.name for p in tmp_path.iterdir()] == ["b.txt"]


@pytest.mark.parametrize("place", ["b.txt", "new/b.txt", "new/and/newer/b.txt"])
def test_a_place_that_is_tested_is_left_as_it_was(tmp_path: Path, place: str) -> None:
    refuse_unwritable(tmp_path / place)
    assert list(tmp_path.iterdir()) == []
    with replacing(tmp_path / place) as beside:
        beside.write_text("new")
    refuse_unwritable(tmp_path / place)
    assert [path.read_text() for path in tmp_path.rglob("*.txt")] == ["new"]


@pytest.mark.parametrize(
    "place", ["folder", "file/b.txt", "file/new/b.txt", "dangling/b.txt", "x" * 300, f"{'x' * 300}/b.txt"]
)
def test_a_place_is_refused_before_as_it_would_be_when_it_is_written(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BoundkitError, match="cannot be written: "):
        refuse_unwritable(tmp_path / place)
    with pytest.raises(BoundkitError, match="cannot be written: "), replacing(tmp_path / place) as beside:
        beside.write_text("new")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []

    def synchronised(path: Path) -> None:
        order.append("folder" if path.is_dir() else "file")

    def renamed(self: Path, target: Path) -> Path:
        order.append("name")
        os.replace(self, target)
        return target

    monkeypatch.setattr(atomic_files, "_synchronise", synchronised)
    monkeypatch.setattr(Path, "replace", renamed)
    with replacing(tmp_path / "a.txt") as beside:
        beside.write_text("whole")
    assert order == ["file", "name", "folder"]


KILLED = """
import os, signal, sys
from pathlib import Path
from boundkit.simulation.atomic_files import replacing, temporary_folder
folder = Path(sys.argv[1])
with temporary_folder(folder) as inside, replacing(folder / "a.txt") as beside:
    (inside / "b.txt").write_text("half")
    beside.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_what_a_killed_process_left_is_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=environment(), check=False)
    assert ended.returncode == -signal.SIGKILL
    left = list(tmp_path.iterdir())
    assert len(left) == 2
    assert all(path.name.startswith(".boundkit-") for path in left)
    others = [".hidden.txt", ".boundkit", ".boundkit-x", f".boundkit-{'0' * 8}-1-of_another_machine.txt"]
    others += [f"{atomic_files._prefix()}of_this_process.txt"]
    for name in others:
        (tmp_path / name).write_text("")
    monkeypatch.setattr(atomic_files, "_folders", set())
    with replacing(tmp_path / "b.txt") as beside:
        beside.write_text("whole")
    assert {path.name for path in tmp_path.iterdir()} == {"b.txt", *others}


@posix
def test_a_process_that_runs_keeps_what_it_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "print(flush=True); input()")
    command = [sys.executable, "-c", writing, str(tmp_path)]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        monkeypatch.setattr(atomic_files, "_folders", set())
        with replacing(tmp_path / "b.txt") as beside:
            beside.write_text("whole")
        process.communicate("\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_both_are_synchronised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handles = []
    monkeypatch.setattr(os, "fsync", lambda handle: handles.append(os.fstat(handle).st_ino))
    with replacing(tmp_path / "a.txt") as beside:
        beside.write_text("whole")
    assert handles == [(tmp_path / "a.txt").stat().st_ino, tmp_path.stat().st_ino]
