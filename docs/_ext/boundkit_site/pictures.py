"""Pictures for the site: each drawn by its command, and kept until boundkit changes."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from functools import cache
from pathlib import Path

import boundkit
from boundkit.cli import _code
from boundkit.figures.gallery import GALLERY

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "out" / "docs" / "pictures"
PACKAGE = Path(boundkit.__file__).parent


def picture(name: str, *words: str) -> Path:
    """The figure of that command as a PNG.

    Raises RuntimeError with what the command said where it does not end with 0.
    """
    argv = ["figure", name, *words, *_records(name)]
    key = hashlib.sha256("\0".join([code_of(PACKAGE), *argv]).encode()).hexdigest()[:16]
    file = KEPT / f"{name}-{key}.png"
    if not file.is_file():
        _draw([*argv, "--out", str(file)])
    return file


def _draw(argv: list[str]) -> None:
    said, before = io.StringIO(), Path.cwd()
    KEPT.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)  # commands name files as a reader in a checkout would
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = _code(argv)
    finally:
        os.chdir(before)
    if code:
        raise RuntimeError(f"boundkit {' '.join(argv)} ended with {code}: {said.getvalue()}")


def _records(name: str) -> list[str]:
    """Where a figure that draws records keeps them; the code that made them is not the site's to check."""
    return ["--records", str(KEPT / "records")] if "records" in GALLERY[name].options else []


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
