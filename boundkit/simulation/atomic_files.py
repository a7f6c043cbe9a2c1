"""Files that appear whole or not at all, and the temporary files that are left where a process is killed."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from boundkit.algebra import BoundkitError

finished: set[Path] = set()
"""The files that this process has put in their places."""
_folders: set[Path] = set()
"""Where this process has made temporary files."""
_NAME = re.compile(r"\.boundkit-([0-9a-f]{8})-(\d+)-")
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)
"""What file systems and platforms answer on which a folder cannot be synchronised."""


def refuse_unwritable(path: Path) -> None:
    """Say before a long computation what ``replacing(path)`` would say after it; nothing is left behind.

    Raises BoundkitError where something else than a file has that name, or where its folder, or the nearest
    folder above it that exists, cannot be written.
    """
    with _refusing(path):
        _refuse_other_than_file(path)
        probe_place(path)


def probe_place(path: Path) -> None:
    """Raise OSError where a file or folder of that name could not be made.

    Something is made in its folder, or in the nearest folder above it that exists, and taken away again:
    permissions are not the whole truth, as in /proc or on a full disk.
    """
    with suppress(FileNotFoundError):
        path.lstat()  # a name may be too long
    folder = place = path.absolute().parent
    while not os.path.lexists(place):
        place = place.parent
    if place == folder:
        handle, name = tempfile.mkstemp(dir=place, prefix=_prefix())
        os.close(handle)
        os.unlink(name)
    else:
        os.rmdir(tempfile.mkdtemp(dir=place, prefix=_prefix()))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to; it takes the place of ``path`` when the block ends well.

    It is on the disk before it has its name, and so is the name when the block has ended. The temporary name
    keeps the suffix, so that writers which read a format off the name are not misled. Raises BoundkitError
    where the folder cannot be made or written.
    """
    beside = _beside(path)
    try:
        with _refusing(path):
            yield beside
            umask = os.umask(0)
            os.umask(umask)
            beside.chmod(0o666 & ~umask)
            _synchronise(beside)
            beside.replace(path)
            finished.add(path)
            _synchronise(path.parent)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """A new folder in ``parent``, gone when the block ends. Raises OSError where it cannot be made."""
    remove_abandoned(parent)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=_prefix()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(folder: Path) -> None:
    """Remove temporary files of boundkit whose process has ended; once a process for each folder.

    Files of other machines that share the folder stay: whether their processes run cannot be seen from here.
    """
    folder = Path(os.path.abspath(folder))
    if folder not in _folders:
        _folders.add(folder)
        _remove_temporary(folder, os.getpid())


def remove_temporary_files() -> None:
    """Remove the temporary files of this process, which is about to end, and of processes that have ended."""
    for folder in list(_folders):
        _remove_temporary(folder, None)


def _remove_temporary(folder: Path, spared: int | None) -> None:
    if os.name != "posix":  # elsewhere one cannot ask for a process without ending it
        return
    with suppress(OSError):
        for name in os.listdir(folder):
            match = _NAME.match(name)
            if match is None or match[1] != _machine():
                continue
            pid = int(match[2])
            if pid == spared or (pid != os.getpid() and _runs(pid)):
                continue
            path = folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user; a number that is no process
        return True
    return True


@cache
def _machine() -> str:
    """Names this machine and the space of its process numbers, which containers have of their own."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def _prefix() -> str:
    return f".boundkit-{_machine()}-{os.getpid()}-"


def _beside(path: Path) -> Path:
    with _refusing(path):
        _refuse_other_than_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(), suffix=path.suffix)
    os.close(handle)
    return Path(name)


def _synchronise(path: Path) -> None:
    """Wait until the file, or the names in the folder, are on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        if path.is_dir() and error.errno in _NO_SYNC:
            return
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(handle)


def _refuse_other_than_file(path: Path) -> None:
    """A device or a folder is not to be replaced by a file."""
    if path.exists() and not path.is_file():
        raise BoundkitError(f"{path} cannot be written: it is not a file.")


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Say of what the operating system refuses in the block that the path cannot be written."""
    try:
        yield
    except OSError as error:
        raise BoundkitError(f"{path} cannot be written: {error.strerror or error}.") from None
