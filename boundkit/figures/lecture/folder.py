"""The folder of a lecture: written whole beside its place, and put there at once."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from boundkit.algebra import BoundkitError

MARK = "assets/page.js"
"""What a folder holds that was written by this."""


def refuse_foreign(outdir: Path) -> None:
    """Raise BoundkitError where the place is taken by something that is no lecture."""
    if outdir.exists() and not outdir.is_dir():
        raise BoundkitError(f"{outdir} is a file, but a lecture needs a folder.")
    if outdir.is_dir() and any(outdir.iterdir()) and not (outdir / MARK).is_file():
        raise BoundkitError(f"{outdir} holds other things than a lecture; name a new folder.")
    above = next(place for place in outdir.absolute().parents if place.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):  # said now, not after the pictures
        raise BoundkitError(f"{outdir} cannot be written: {above} is no folder that may be written to.")


def replace_site(outdir: Path, files: Mapping[str, str | bytes]) -> None:
    """Write every file, by its place from the root; a lecture that was there makes room at the end.

    Raises BoundkitError where the folder cannot be written, or is taken by something else.
    """
    refuse_foreign(outdir)
    try:
        outdir.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=outdir.parent, prefix=f".{outdir.name}-"))
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None
    try:
        for place, content in files.items():
            path = beside / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        beside.chmod(0o755)
        if outdir.exists():
            shutil.rmtree(outdir)
        beside.replace(outdir)
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
