"""Atomic file writes, and removal of the temporary files of killed processes."""

from __future__ import annotations

import csv
import errno
import hashlib
import math
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError

finished: set[Path] = set()
"""The files that this process has written."""
_folders: set[Path] = set()
"""Folders in which this process has created temporary files."""
_NAME = re.compile(r"\.boundkit-([0-9a-f]{8})-(\d+)-")
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES)
"""Errors of file systems and platforms on which a folder cannot be synchronised."""


def refuse_unwritable(path: Path) -> None:
    """Raise before a long computation the error that ``replacing(path)`` would raise after it.

    Nothing is left behind. Raises BoundkitError where a non-file has that name, or where its folder, or the
    nearest folder above it that exists, cannot be written.
    """
    with _refusing(path):
        _refuse_other_than_file(path)
        probe_place(path)


def probe_place(path: Path) -> None:
    """Raise OSError where a file or folder of that name could not be created.

    A probe is created in its folder, or in the nearest existing folder above it, and removed again:
    permissions are not sufficient, as in /proc or on a full disk.
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
    """A temporary file beside ``path`` to write to; it replaces ``path`` when the block ends without error.

    Its content is synchronised to disk before the renaming, and so is the name at the end of the block. The
    temporary name keeps the suffix, so that writers which infer a format from the name work. Raises
    BoundkitError where the folder cannot be created or written.
    """
    temporary = _temporary_file(path)
    try:
        with _refusing(path):
            yield temporary
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            _synchronise(temporary)
            temporary.replace(path)
            finished.add(path)
            _synchronise(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """A new folder in ``parent``, removed when the block ends. Raises OSError where it cannot be created."""
    remove_abandoned(parent)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=_prefix()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(folder: Path) -> None:
    """Remove temporary files of boundkit whose process has ended; once a process for each folder.

    Files of other machines that share the folder stay: their processes cannot be checked from here.
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
    if os.name != "posix":  # elsewhere a process cannot be queried without ending it
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
    """An identifier of this machine and its process namespace, which containers have of their own."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def _prefix() -> str:
    return f".boundkit-{_machine()}-{os.getpid()}-"


def _temporary_file(path: Path) -> Path:
    with _refusing(path):
        _refuse_other_than_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(), suffix=path.suffix)
    os.close(handle)
    return Path(name)


def _synchronise(path: Path) -> None:
    """Synchronise the file, or the names in the folder, to disk."""
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
    """Refuse to replace a device or a folder."""
    if path.exists() and not path.is_file():
        raise BoundkitError(f"{path} cannot be written: it is not a file.")


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Convert errors of the operating system in the block to one about a path that is not writable."""
    try:
        yield
    except OSError as error:
        raise BoundkitError(f"{path} cannot be written: {error.strerror or error}.") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all. Raises BoundkitError where it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def append_text(path: Path, text: str) -> None:
    """Append to a file, by one call of the operating system, or leave it as it was.

    Raises BoundkitError where the file is not there or cannot be written.
    """
    data = text.encode("utf-8")
    with _refusing(path):
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            before = os.fstat(handle).st_size
            if os.write(handle, data) < len(data):
                os.ftruncate(handle, before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(handle)


def write_columns(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write columns with headers, in full digits; shorter columns and missing numbers are left empty.

    Raises BoundkitError where the file cannot be written.
    """
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows([_cell(v) for v in row] for row in zip_longest(*columns.values()))


def _cell(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    value = None if isinstance(value, float) and math.isnan(value) else value
    return repr(value) if isinstance(value, float) else value
