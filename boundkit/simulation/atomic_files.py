"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boundkit.algebra import BoundkitError


def refuse_unwritable(path: Path) -> None:
    """Say now what ``replacing(path)`` would say after a long run."""
    _beside(path).unlink()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside ``path`` to write to; it takes the place of ``path`` when the block ends well.

    Its name keeps the suffix, so that writers which read a format off the name are not misled. Raises
    BoundkitError where the folder cannot be made or written.
    """
    beside = _beside(path)
    try:
        yield beside
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(0o666 & ~umask)
        beside.replace(path)
    except OSError as error:
        raise BoundkitError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    if path.exists() and not path.is_file():  # a device or a folder is not to be replaced by a file
        raise BoundkitError(f"{path} cannot be written: it is not a file.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
    except OSError as error:
        raise BoundkitError(f"{path} cannot be written: {error.strerror or error}.") from None
    os.close(handle)
    return Path(name)
