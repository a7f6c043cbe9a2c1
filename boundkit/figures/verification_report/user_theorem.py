"""The page about a user's own theorem, as one HTML file or as Markdown with its picture beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from boundkit.attack.user_theorem import Examination
from boundkit.attack.user_theorem.sections import OUTCOME, Section, headline, sections
from boundkit.figures.verification_report import as_table, check_format, draw_svg, write_file
from boundkit.figures.verification_report.html import badge, broken, head, table
from boundkit.figures.verification_report.inline_svg import GlyphTable
from boundkit.report import Cell, Sentence
from boundkit.verification.record import Record

_PICTURED = "Against runs"


def write_page(examination: Examination, worst: Record | None, path: Path) -> list[Path]:
    """Write the page, with a picture of ``worst`` where there is one; the paths written.

    Raises BoundkitError for a suffix that is no page, or where the place cannot be written.
    """
    kind = check_format(path)
    picture = None if worst is None else draw_svg(worst)
    if kind in (".html", ".htm"):
        return [write_file(path, html(examination, picture).encode())]
    beside = path.with_name(f"{path.stem}_worst.svg")
    others = [] if picture is None else [write_file(beside, picture)]
    return [write_file(path, markdown(examination, beside.name if others else None).encode()), *others]


def html(examination: Examination, picture: bytes | None) -> str:
    """The whole page: no script, no network, the picture inside."""
    glyphs = GlyphTable()
    title = broken(examination.theorem.name) + escape(
        headline(examination).removeprefix(examination.theorem.name)
    )
    kind, markup = _answer(examination)
    body = [f"<header><p><span class='badge {kind}'>{markup}</span></p><h1>{title}</h1></header>"]
    for section in sections(examination):
        body.append(
            f"<section class='theorem'><h2>{escape(section.title)}</h2>{_section_body(section, glyphs)}"
        )
        if section.title == _PICTURED and picture is not None:
            body.append(glyphs.picture(picture, "bound against the worst run"))
        body.append("</section>")
    return head(headline(examination)) + "\n".join([*body, glyphs.markup()]) + "\n</body></html>\n"


def _answer(examination: Examination) -> tuple[str, str]:
    """The answer in a word or two, and whose colours it has."""
    if examination.failures:
        return "violated", "wrong" if examination.violated else "failed"
    if examination.falsification.answer == "undecided":
        return "undecided", "undecided"
    return (
        ("not-tested", "no run")
        if examination.falsification.answer == "not applicable"
        else ("holds", "not broken")
    )


def _section_body(section: Section, glyphs: GlyphTable) -> str:
    markup = ""
    if section.pairs:
        pairs = [[f"<b>{escape(name)}</b>", _cell(what, glyphs)] for name, what in section.pairs]
        markup += "<dl class='pairs'>" + "".join(f"<dt>{n}</dt><dd>{w}</dd>" for n, w in pairs) + "</dl>"
    if section.lines:
        markup += "<ul>" + "".join(f"<li>{_cell(each, glyphs)}</li>" for each in section.lines) + "</ul>"
    if section.rows:
        markup += table(section.header, [_row(section.header, row, glyphs) for row in section.rows])
    return markup + (f"<pre>{escape(chr(10).join(section.code))}</pre>" if section.code else "")


def _row(header: Sequence[str], row: Sequence[Cell], glyphs: GlyphTable) -> list[str]:
    return [
        badge(str(cell)) if name == OUTCOME else _cell(cell, glyphs)
        for name, cell in zip(header, row, strict=True)
    ]


def _cell(cell: Cell, glyphs: GlyphTable) -> str:
    if isinstance(cell, Sentence):
        return "".join(_cell(piece, glyphs) for piece in cell.pieces)
    return escape(cell) if isinstance(cell, str) else glyphs.formula(cell.latex, str(cell))


def markdown(examination: Examination, picture: str | None) -> str:
    """The same as Markdown; ``picture`` is the file of the picture."""
    parts = [f"# {headline(examination)}"]
    for section in sections(examination):
        parts.append(f"## {section.title}")
        if section.pairs:
            parts.append("\n".join(f"- **{name}**: {_in_markdown(what)}" for name, what in section.pairs))
        if section.lines:
            parts.append("\n".join(f"- {_in_markdown(each).strip()}" for each in section.lines))
        if section.rows:
            parts.append(as_table(section.header, [list(map(_in_markdown, row)) for row in section.rows]))
        if section.code:
            parts.append("\n".join(["```text", *section.code, "```"]))
        if section.title == _PICTURED and picture is not None:
            parts.append(f"![bound against the worst run]({picture})")
    return "\n\n".join(parts) + "\n"


def _in_markdown(cell: Cell) -> str:
    if isinstance(cell, Sentence):
        return "".join(_in_markdown(piece) for piece in cell.pieces)
    return cell if isinstance(cell, str) else f"$`{cell.latex}`$"
