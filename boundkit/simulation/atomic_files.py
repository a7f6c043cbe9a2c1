"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from boundkit.algebra import BoundkitError


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
        handle, name = tempfile.mkstemp(dir=place, prefix=".")
        os.close(handle)
        os.unlink(name)
    else:
        os.rmdir(tempfile.mkdtemp(dir=place, prefix="."))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to; it takes the place of ``path`` when the block ends well.

    Its name keeps the suffix, so that writers which read a format off the name are not misled. Raises
    BoundkitError where the folder cannot be made or written.
    """
    beside = _beside(path)
    try:
        with _refusing(path):
            yield beside
            umask = os.umask(0)
            os.umask(umask)
            beside.chmod(0o666 & ~umask)
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    with _refusing(path):
        _refuse_other_than_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    os.close(handle)
    return Path(name)


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
