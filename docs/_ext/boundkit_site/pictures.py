"""Pictures for the site: each drawn by its command, and kept until boundkit changes."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
from functools import cache
from pathlib import Path
from unittest.mock import patch

import boundkit
from boundkit.cli.program import run
from boundkit.figures.gallery import GALLERY

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "out" / "docs" / "pictures"
PACKAGE = Path(boundkit.__file__).parent
RECORDS = ROOT / "examples" / "records"
"""Records that figures draw, kept beside the examples: no run is needed to build them.

To make one anew, remove it and draw its figure with --records examples/records.
"""


def picture(name: str, *words: str) -> Path:
    """The figure of that command as a PNG.

    Raises RuntimeError with what the command said where it does not end with 0.
    """
    argv = ["figure", name, *words]
    stem = f"{name}-{hashlib.sha256(chr(0).join(argv).encode()).hexdigest()[:8]}"
    file = KEPT / f"{stem}-{code_of(PACKAGE, RECORDS)[:16]}.png"
    if not file.is_file():
        for old in KEPT.glob(f"{stem}-*.png"):
            old.unlink(missing_ok=True)
        _draw([*argv, *_records(name), "--out", str(file)])
    return file


def _draw(argv: list[str]) -> None:
    said, before = io.StringIO(), Path.cwd()
    KEPT.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)  # commands name files as a reader in a checkout would
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
            patch(
                "boundkit.studies.demonstration_records.is_current", Path.is_file
            ),  # kept records are drawn as they are
        ):
            code = run(argv)
    finally:
        os.chdir(before)
    if code:
        raise RuntimeError(f"boundkit {' '.join(argv)} ended with {code}: {said.getvalue()}")


def _records(name: str) -> list[str]:
    """The folder of records, for a figure that draws one."""
    return ["--records", str(_copied().relative_to(ROOT))] if "records" in GALLERY[name].options else []


def _copied() -> Path:
    """Copies of the records, to which one that is missing may be added without touching what is kept."""
    folder = KEPT / "records" / code_of(PACKAGE, RECORDS)[:16]
    if not folder.is_dir():
        for old in folder.parent.glob("*"):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(RECORDS, folder, dirs_exist_ok=True)
    return folder


@cache
def code_of(*folders: Path) -> str:
    """A number for all files below the folders: what was made from them is kept as long as it stays."""
    digest = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(folder)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def shown(file: Path, alt: str) -> str:
    """A picture in Markdown, for a page in docs/."""
    return f"![{alt}](../{file.relative_to(ROOT)})"
