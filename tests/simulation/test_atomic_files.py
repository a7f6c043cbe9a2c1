"""Files appear whole or not at all."""

import os
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.atomic_files import replacing


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
