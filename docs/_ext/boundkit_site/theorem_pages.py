"""Pages of the theorems, written into docs/theorems when the site is built."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundkit.algebra import Theorem
from boundkit.analysis.export import export
from boundkit.theorems import catalogue

from .atlas import section

FOLDER = Path(__file__).resolve().parents[2] / "theorems"


def setup(app: Any) -> None:
    """Write the pages before Sphinx lists its sources."""
    app.connect("builder-inited", lambda app: write_pages(catalogue(), FOLDER))


def page(theorem: Theorem) -> str:
    """The page of ``boundkit export``, and how tight the bound is."""
    text, tightness = export(theorem, "markdown"), section(theorem.name)
    if not tightness:
        return text
    before, heading, after = text.partition("## Assumptions\n")
    return f"{before}{tightness}\n\n{heading}{after}"


def write_pages(theorems: Mapping[str, Theorem], folder: Path) -> None:
    """Write one page a theorem, leave equal pages untouched, and remove all others."""
    folder.mkdir(exist_ok=True)
    for name, theorem in theorems.items():
        file, text = folder / f"{name}.md", page(theorem)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for file in folder.glob("*.md"):
        if file.stem not in theorems:
            file.unlink()
