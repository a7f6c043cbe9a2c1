"""Files appear whole or not at all."""

import os
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.atomic_files import refuse_unwritable, replacing


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


@pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="needs Linux's /proc, which takes no file of root's"
)
def test_a_folder_that_permissions_allow_and_the_file_system_does_not(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match=r"/proc/nowhere/b\.txt cannot be written: "):
        refuse_unwritable(Path("/proc/nowhere/b.txt"))
