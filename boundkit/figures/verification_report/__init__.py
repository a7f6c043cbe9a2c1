"""The report page of many verdicts: one HTML file, or Markdown with its pictures beside it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError, Theorem
from boundkit.figures.bound_against_run import draw, height_of
from boundkit.figures.save import FORMATS
from boundkit.figures.style import style
from boundkit.figures.verification_report.html import html
from boundkit.figures.verification_report.lines import (
    TheoremEntry,
    case_rows,
    counts,
    how,
    lines_of,
    pair,
    record_link,
    setting_words,
    term_rows,
)
from boundkit.figures.verification_report.overview import overview
from boundkit.simulation.atomic_files import replacing
from boundkit.verification.record import Record

__all__ = ["check_format", "draw_svg", "write_report"]


def markdown(lines: Sequence[TheoremEntry], pictures: Mapping[str, bytes], folder: str, page: Path) -> str:
    """The whole page; pictures are linked by name in ``folder``."""
    tested = [line for line in lines if line.tested]
    parts = ["# Theorems against runs", _summary(lines)]
    if "overview" in pictures:
        parts.append(f"![measured over bound of every theorem]({folder}/overview.svg)")
    if tested:
        header = ["theorem", "verdict", "kind", "constants", "measured/bound", "slopes: measured (predicted)",
                  "not tested"]  # fmt: skip
        parts += ["## Verdicts", as_table(header, [_row(line) for line in tested])]
    others = [line for line in lines if not line.tested]
    if others:
        rows = [[line.name, line.verdict["reason"]] for line in others]
        parts += ["## Not applicable", as_table(["theorem", "because"], rows)]
    for line in tested:
        parts += _section(line, f"{folder}/{line.name}.svg" if line.name in pictures else None, page)
    return "\n\n".join(parts) + "\n"


def _summary(lines: Sequence[TheoremEntry]) -> str:
    return ", ".join(f"{count} {answer}" for answer, count in counts(lines)) + "."


def _row(line: TheoremEntry) -> list[str]:
    slopes = "; ".join(
        f"{label}: {', '.join(f'{s.letter} {pair(s)}' for s in of_term)}"
        for label, of_term in line.by_term.items()
    )
    return [f"[{line.name}](#{line.name})", line.answer, line.verdict["kind"],
            line.trust, line.ratio, slopes or "not fitted",
            ", ".join(name for name, _ in line.untested) or "\N{EM DASH}"]  # fmt: skip


def _section(line: TheoremEntry, picture: str | None, page: Path) -> list[str]:
    parts = [f"## {line.name}", f"**{line.answer}.** {line.verdict['reason']}"]
    if line.source:
        parts.append(f"Source: {line.source}.")
    if picture:
        parts.append(f"![bound against run]({picture})")
    if rows := term_rows(line):
        body = [[r.label, r.cause, f"$`{r.latex}`$" if r.latex else "", r.value, r.share] for r in rows]
        parts += ["### Terms at the worst instance",
                  as_table(["term", "cause", "formula", "value", "share"], body)]  # fmt: skip
    parts.append(f"{setting_words(line)} {how(line)}".strip())
    if cases := case_rows(line):
        header = ["instance", "verdict", "measured/bound", "constants", "engine"]
        parts += ["### Instances", as_table(header, cases)]
    checks = [[c["name"], c["outcome"], c["sentence"]] for c in line.verdict["checks"]]
    if checks:
        parts += ["### Checks", as_table(["check", "outcome", "what was seen"], checks)]
    link = record_link(line, page)
    return [*parts, f"[record]({link})"] if link else parts


def as_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown."""
    lines = [header, ["---"] * len(header), *([_cell(c) for c in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|") if not text.startswith("$") else text.replace("|", "\\vert ")


PAGE_FORMATS = (".html", ".htm", ".md", ".markdown")


def check_format(path: Path) -> str:
    """The suffix. Raises BoundkitError for one that is no page."""
    if path.suffix.lower() not in PAGE_FORMATS:
        raise BoundkitError(f"{path} ends in {path.suffix!r}, but a report is written as .html or .md.")
    return path.suffix.lower()


def write_report(
    records: Sequence[Record], theorems: Mapping[str, Theorem], pictures: Mapping[str, bytes], path: Path
) -> list[Path]:
    """Write the page, and for Markdown its pictures into ``<name>_pictures`` beside it; the paths written.

    ``theorems`` gives the statements by name, ``pictures`` each theorem's picture as SVG; a theorem without
    one has no picture. Raises BoundkitError for another suffix, or where the place cannot be written.
    """
    kind = check_format(path)
    lines = lines_of(records, theorems)
    if kind in (".html", ".htm"):
        return [write_file(path, html(lines, pictures, path).encode())]
    figure = overview(lines)
    glance = None if figure is None else svg(figure)
    folder = path.with_name(f"{path.stem}_pictures")
    beside = dict(pictures) if glance is None else {"overview": glance, **pictures}
    beside_it = [write_file(folder / f"{name}.svg", content) for name, content in beside.items()]
    return [write_file(path, markdown(lines, beside, folder.name, path).encode()), *beside_it]


def write_file(path: Path, content: bytes) -> Path:
    """The path, with that in it."""
    with replacing(path) as beside:
        beside.write_bytes(content)
    return path


_SIZE: dict[Any, Any] = {
    "figure.figsize": (7.6, 4.4),
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 13),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 12),
    "axes.titlepad": 8,
    "figure.constrained_layout.h_pad": 0.05,
    "figure.constrained_layout.w_pad": 0.05,
    "lines.linewidth": 2.2,
}
"""Small enough that its text can be read on a telephone; it grows with the page."""


def draw_svg(record: Record) -> bytes:
    """Bound against run as SVG. Raises BoundkitError where the record has no curves."""
    with style(), mpl.rc_context(_SIZE):
        page = Figure(figsize=_SIZE["figure.figsize"], dpi=100)
        axes = page.subplots()
        draw(axes, record)
        axes.set_title(height_of(record))
        engine = page.get_layout_engine()
        assert engine is not None
        engine.execute(page)
        page.set_layout_engine("none")
    return svg(page)


def svg(figure: Figure) -> bytes:
    """A figure as SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with style(), mpl.rc_context({"svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata=FORMATS[".svg"])
    return buffer.getvalue()
