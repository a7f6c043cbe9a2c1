"""Input files: regular files of a bounded size, so that no read blocks or fills the memory.

A named pipe would block when it is opened, and a device such as /dev/zero never ends.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger, shown

MOST_RUN = 2**28
"""Bytes of a RUN.json."""
MOST_SOURCE = 2**24
"""Bytes of a Python file."""
MOST_RECORD = 2**30
"""Bytes of a record, of a table, and of a file of a data set."""
_PARSED = 12
"""Bytes of Python objects for each byte of JSON, at most: a digit and a comma make a float in a list."""
_KINDS = {
    stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}  # fmt: skip


def check_input_file(path: str | Path, most: int) -> None:
    """Check that a file that another function opens is a regular file of at most ``most`` bytes.

    A missing file and a folder pass: opening them raises.

    Raises
    ------
    BoundkitError
        One sentence with the path and the kind or the size of the file.
    """
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return
    if not stat.S_ISDIR(about.st_mode):
        _refuse_irregular(path, about.st_mode)
        _refuse_large(path, about.st_size, most)


def read_text(path: str | Path, most: int) -> str:
    """Read a text in UTF-8, with or without a byte order mark; raises BoundkitError as ``read_bytes``."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BoundkitError(f"cannot read {path}: it is not UTF-8 text.") from None


def read_json_text(path: str | Path, most: int) -> str:
    """Read a text that is JSON; refused as well where the values in it may not fit into memory."""
    text = read_text(path, most)
    refuse_larger(_PARSED * len(text), f"the JSON in {path}, {shown(len(text))},", "make it smaller")
    return text


def read_bytes(path: str | Path, most: int) -> bytes:
    """Read a regular file of at most ``most`` bytes.

    Raises
    ------
    BoundkitError
        One sentence with the path, where it is missing, something else than a regular file, or too large.
    """
    try:
        _refuse_irregular(path, os.stat(path).st_mode)  # opening a device may already do something
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            about = os.fstat(descriptor)
            _refuse_irregular(path, about.st_mode)  # it may be another file by now
            _refuse_large(path, about.st_size, most)
            content = file.read(most + 1)
    except OSError as error:
        raise BoundkitError(f"cannot read {path}: {error.strerror or error}.") from None
    except ValueError as error:  # a name with a null character
        if isinstance(error, BoundkitError):
            raise
        raise BoundkitError(f"cannot read {str(path)!r}: {error}.") from None
    _refuse_large(path, len(content), most)
    return content


def _refuse_irregular(path: str | Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise BoundkitError(f"cannot read {path}: it is {kind}, and a regular file is needed.")


def _refuse_large(path: str | Path, size: int, most: int) -> None:
    if size > most:
        raise BoundkitError(
            f"cannot read {path}: it has {shown(size)}, and at most {shown(most)} are read of such a file."
        )
