"""Input files: what is not a regular file of a bounded size is refused, and never waited for."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis import input_file, memory
from boundkit.analysis.input_file import check_input_file, read_bytes, read_json_text, read_text

on_unix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are files on Unix")


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """A read that blocks ends in an error, and not the whole suite."""
    if hasattr(signal, "SIGALRM"):
        signal.alarm(20)
    yield
    if hasattr(signal, "SIGALRM"):
        signal.alarm(0)


def refused(path: Path, most: int = 10) -> str:
    with pytest.raises(BoundkitError) as caught:
        read_bytes(path, most)
    return str(caught.value)


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfgr\xc3\xbcn")
    assert read_bytes(path, 8) == path.read_bytes()
    assert read_text(path, 8) == "grün"
    check_input_file(path, 8)


def test_a_file_beyond_the_limit_is_refused_with_both_sizes(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"x" * 3 * 2**20)
    said = f"cannot read {path}: it has 3.0 MiB, and at most 2.0 MiB are read of such a file."
    assert refused(path, 2 * 2**20) == said
    with pytest.raises(BoundkitError, match=r"it has 3\.0 MiB"):
        check_input_file(path, 2 * 2**20)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="files of size 0 that are long: Linux")
def test_a_file_that_hides_its_size_is_bounded_too() -> None:
    assert Path("/proc/self/maps").stat().st_size == 0
    assert "at most" in refused(Path("/proc/self/maps"), 100)


@on_unix
def test_pipes_sockets_and_devices_are_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "it is a named pipe, and a regular file is needed" in refused(tmp_path / "pipe")
    assert "it is a device" in refused(Path("/dev/zero"))
    with socket.socket(socket.AF_UNIX) as one:
        monkeypatch.chdir(tmp_path)  # the name of a socket must be short
        one.bind("socket")
        assert "it is a socket" in refused(tmp_path / "socket")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(BoundkitError, match="a regular file is needed"):
            check_input_file(path, 10)


@on_unix
def test_a_file_that_becomes_a_pipe_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    regular, pipe = tmp_path / "regular", tmp_path / "pipe"
    regular.write_text("x")
    os.mkfifo(pipe)
    about = os.stat(regular)
    monkeypatch.setattr(os, "stat", lambda path: about)
    assert "it is a named pipe" in refused(pipe)


def test_what_is_not_there_or_a_folder_or_no_name(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "none")
    assert "Is a directory" in refused(tmp_path)
    assert "cannot read" in refused(Path("a\0b"))
    check_input_file(tmp_path / "none", 10)  # whoever opens it says so
    check_input_file(tmp_path, 10)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xff")
    with pytest.raises(BoundkitError, match="it is not UTF-8 text"):
        read_text(path, 10)


def test_json_is_refused_where_its_values_would_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_text("[" + "1," * 10**6 + "1]")
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**30)
    assert read_json_text(path, input_file.MOST_RUN) == path.read_text()
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**20)
    with pytest.raises(BoundkitError, match=r"the JSON in .*, 1\.9 MiB, needs about 22\.9 MiB of memory"):
        read_json_text(path, input_file.MOST_RUN)
