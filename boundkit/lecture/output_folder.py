"""The folder of a lecture, replaced atomically."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.simulation.atomic_files import probe_place, temporary_folder

LIST = "lecture.json"
"""The list of the written files: a folder is a lecture where it holds these files and no others."""


def refuse_foreign(outdir: Path) -> None:
    """Raise BoundkitError where the folder holds something else, or cannot be written."""
    outdir = outdir.absolute()
    try:
        probe_place(outdir)
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None
    if outdir.exists() and not outdir.is_dir():
        raise BoundkitError(f"{outdir} is a file, but a lecture needs a folder.")
    if outdir.is_dir():
        if Path.cwd().is_relative_to(outdir.resolve()):
            raise BoundkitError(f"{outdir} is where you are: name a new folder, such as lecture.")
        foreign = sorted(_present(outdir) - _listed(outdir))
        if foreign:
            raise BoundkitError(
                f"{outdir} holds other things than a lecture, such as {foreign[0]}; name a new folder."
            )


def replace_site(outdir: Path, files: Mapping[str, str | bytes]) -> None:
    """Write every file, by its path from the root; a previous lecture is replaced at the end.

    Raises BoundkitError where the folder cannot be written, or holds something else.
    """
    refuse_foreign(outdir)
    outdir = outdir.absolute()
    contents = {**files, LIST: json.dumps(sorted({*files, LIST}), indent=1) + "\n"}
    try:
        outdir.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(outdir.parent) as beside:
            _exchange(outdir, contents, beside / "new", beside / "old")
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None


def _exchange(outdir: Path, files: Mapping[str, str | bytes], new: Path, old: Path) -> None:
    """Write the files to ``new`` and exchange it with ``outdir``, which is unchanged where that fails."""
    try:
        for place, content in files.items():
            path = new / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if outdir.exists():
            outdir.replace(old)
        new.replace(outdir)
    except OSError:
        if old.exists() and not outdir.exists():
            old.replace(outdir)
        raise


def _present(outdir: Path) -> set[str]:
    return {path.relative_to(outdir).as_posix() for path in outdir.rglob("*") if not path.is_dir()}


def _listed(outdir: Path) -> set[str]:
    try:
        names = json.loads(read_text(outdir / LIST, MOST_RECORD))
    except (OSError, ValueError, RecursionError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
