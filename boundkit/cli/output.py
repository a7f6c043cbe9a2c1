"""What a command gives back: text or JSON on stdout, files written whole or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from boundkit.algebra.errors import BoundkitError


def emit(text: str) -> None:
    """Print to stdout; a reader who left early (``| head``) is no error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        forget_stdout()


def forget_stdout() -> None:
    """Send the rest of stdout nowhere, so that the interpreter's last flush stays quiet as well."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def print_json(value: Any) -> None:
    """Print one JSON value. A nan in it is a mistake of ours, and raises ValueError."""
    emit(json.dumps(value, allow_nan=False, ensure_ascii=False))


def warn(message: str) -> None:
    """One line on stderr."""
    print(f"warning: {' '.join(message.split())}", file=sys.stderr)


def write_text(path: Path, text: str) -> None:
    """Write a file whole: beside its place first, then moved there.

    Raises BoundkitError where the place cannot be written.
    """
    if path.exists() and not path.is_file():  # a device would be replaced by a file
        raise BoundkitError(f"{path} could not be written: it is not a file.")
    beside = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
        ) as file:
            beside = file.name
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, path)
    except OSError as error:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        raise BoundkitError(f"{path} could not be written: {error.strerror or error}.") from None


def print_table(header: list[str], rows: list[list[str]], left: int = 1) -> None:
    """A rich table on a terminal, aligned text where something else reads."""
    if not sys.stdout.isatty():
        from boundkit.analysis.rendering import table

        emit(table(header, rows, left))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        shown.add_column(name, justify="left" if place < left else "right")
    for row in rows:
        shown.add_row(*row)
    Console(markup=False, highlight=False).print(shown)
