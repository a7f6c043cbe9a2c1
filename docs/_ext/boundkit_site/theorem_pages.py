"""Pages of the theorems, written into docs/theorems when the site is built."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boundkit.algebra import Theorem
from boundkit.analysis.export.markdown import display_bound
from boundkit.lecture.site import coloured_bound
from boundkit.proofs.printing import theorem_page
from boundkit.theorems import catalogue

from .atlas import ratio, rows, section

FOLDER = Path(__file__).resolve().parents[2] / "theorems"
_NAME = re.compile(
    r"(`[^`]*`|\[[^\]]*\]\([^)]*\)|\$[^$]*\$|<div .*</div>)|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b"
)


def setup(app: Any) -> None:
    """Write the pages before Sphinx lists its sources."""
    app.connect("builder-inited", lambda app: write_pages(catalogue(), FOLDER))


def page(theorem: Theorem) -> str:
    """The page of ``boundkit export``, its bound coloured by cause, with tightness and related theorems."""
    text = theorem_page(theorem)
    coloured = f'<div class="formula" tabindex="0">{coloured_bound(theorem)}</div>'
    text = text.replace(display_bound(theorem), coloured.replace("\n", " "), 1)
    before, heading, after = text.partition("## Becomes\n")
    if not heading:
        before, heading, after = text.partition("## Quantities\n")
    inserted = [part for part in (section(theorem.name), neighbours(theorem)) if part]
    return _linked("\n\n".join([before.rstrip(), *inserted, heading + after]), theorem.name)


def neighbours(theorem: Theorem) -> str:
    """Theorems on the same quantity under the same assumptions, and more general theorems."""
    same = [
        t
        for t in catalogue().values()
        if t.name != theorem.name
        and (t.algorithm, t.claim, t.kind) == (theorem.algorithm, theorem.claim, theorem.kind)
        and set(t.assumptions) == set(theorem.assumptions)
    ]
    general = [
        t
        for t in catalogue().values()
        if t not in same and any(r.to == theorem.name and r.holds for r in t.reductions)
    ]
    parts = [
        f"{title} (in brackets the largest measured/bound that was found):\n\n"
        + "\n".join(map(_entry, sorted(found, key=_tightness, reverse=True)))
        for title, found in (("Same assumptions, other constants", same), ("More general", general))
        if found
    ]
    return "\n\n".join(["## Related theorems", *parts]) if parts else ""


def _tightness(theorem: Theorem) -> float:
    """The largest measured/bound of the atlas; 0 where none is known."""
    return next((r["ratio"] or 0.0 for r in rows("theorems") if r["theorem"] == theorem.name), 0.0)


def _entry(theorem: Theorem) -> str:
    """A link by title."""
    row = next((r for r in rows("theorems") if r["theorem"] == theorem.name and r["ratio"] is not None), None)
    return f"- [{theorem.title}]({theorem.name}.md){f' ({ratio(row)})' if row else ''}"


def _linked(text: str, own: str) -> str:
    """The names of other theorems as links to their pages."""

    def link(match: re.Match[str]) -> str:
        name = match[2]
        return f"[{name}]({name}.md)" if name in catalogue() and name != own else match[0]

    return _NAME.sub(link, text)


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
