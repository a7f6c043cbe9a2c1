"""A report is one HTML file that needs nothing else, or Markdown with its pictures beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from boundkit.algebra import BoundkitError, Theorem
from boundkit.figures.verification_report.html import html
from boundkit.figures.verification_report.lines import lines_of
from boundkit.figures.verification_report.markdown import markdown
from boundkit.figures.verification_report.overview import overview
from boundkit.figures.verification_report.pictures import svg
from boundkit.simulation.atomic_files import replacing
from boundkit.verification.record import Record

FORMATS = (".html", ".htm", ".md", ".markdown")


def known_format(path: Path) -> str:
    """The suffix. Raises BoundkitError for one that is no page."""
    if path.suffix.lower() not in FORMATS:
        raise BoundkitError(f"{path} ends in {path.suffix!r}, but a report is written as .html or .md.")
    return path.suffix.lower()


def write_report(
    records: Sequence[Record], theorems: Mapping[str, Theorem], pictures: Mapping[str, bytes], path: Path
) -> list[Path]:
    """Write the page, and for Markdown its pictures into ``<name>_pictures`` beside it; the paths written.

    ``theorems`` gives the statements by name, ``pictures`` each theorem's picture as SVG; a theorem without
    one has no picture. Raises BoundkitError for another suffix, or where the place cannot be written.
    """
    kind = known_format(path)
    lines = lines_of(records, theorems)
    if kind in (".html", ".htm"):
        return [written(path, html(lines, pictures, path).encode())]
    seen = overview(lines)
    glance = None if seen is None else svg(seen)
    folder = path.with_name(f"{path.stem}_pictures")
    beside = dict(pictures) if glance is None else {"overview": glance, **pictures}
    beside_it = [written(folder / f"{name}.svg", content) for name, content in beside.items()]
    return [written(path, markdown(lines, beside, folder.name, path).encode()), *beside_it]


def written(path: Path, content: bytes) -> Path:
    """The path, with that in it."""
    with replacing(path) as beside:
        beside.write_bytes(content)
    return path
