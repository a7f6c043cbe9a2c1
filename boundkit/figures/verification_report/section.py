"""One theorem's section of the page: picture, terms, instances, checks, constants, and the run itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from boundkit.figures.cause_styles import colour
from boundkit.figures.verification_report.html_elements import badge, broken, quantity, titled
from boundkit.figures.verification_report.inline_svg import Shelf
from boundkit.figures.verification_report.lines import Line
from boundkit.figures.verification_report.values import (
    TermRow,
    case_rows,
    constant_rows,
    how,
    record_link,
    setting_words,
    term_rows,
)


def section(line: Line, picture: bytes | None, page: Path, shelf: Shelf) -> str:
    """The whole section, as HTML."""
    name = f"<code>{broken(line.name)}</code>"
    parts = [
        f"<section class='theorem' id='{line.name}'><h2>{badge(line.answer)} {name}</h2>",
        f"<p class='source'>{escape(line.source)}</p>" if line.source else "",
        f"<p>{escape(line.verdict['reason'])}</p>",
        shelf.picture(picture, f"bound against run of {line.name}") if picture else "",
        _terms(term_rows(line), shelf),
        f"<p class='small'>{escape(f'{setting_words(line)} {how(line)}'.strip())}</p>",
        _instances(line),
        _checks(line),
        _constants(line, shelf),
        _replay(line, page),
        "<p class='up'><a href='#glance'>to the top</a></p></section>",
    ]
    return "\n".join(part for part in parts if part)


def _terms(rows: Sequence[TermRow], shelf: Shelf) -> str:
    body = [
        [
            f"<span class='swatch' style='background:{colour(r.cause)}'></span>{escape(r.label)}",
            shelf.formula(r.latex, r.plain),
            r.value,
            r.share,
        ]
        for r in rows
    ]
    return titled("Terms, at the worst instance", ["term", "formula", "value", "share"], body)


def _instances(line: Line) -> str:
    rows = [[escape(r[0]), badge(r[1]), *map(escape, r[2:])] for r in case_rows(line)]
    return titled("Instances", ["instance", "verdict", "measured / bound", "constants", "engine"], rows)


def _checks(line: Line) -> str:
    rows = [[escape(c["name"]), badge(c["outcome"]), escape(c["sentence"])] for c in line.verdict["checks"]]
    return titled("Checks", ["check", "outcome", "what was seen"], rows)


def _constants(line: Line, shelf: Shelf) -> str:
    rows = [[quantity(shelf, r[0]), *map(escape, r[1:])] for r in constant_rows(line)]
    return titled("Constants of the worst instance", ["constant", "value", "trust", "how"], rows)


def _replay(line: Line, page: Path) -> str:
    link = record_link(line, page)
    said = f"<p class='small'>Record: <a href='{escape(link)}'>{escape(link)}</a></p>" if link else ""
    if not line.record.run:
        return said
    run = escape(json.dumps(line.record.run))
    return f"{said}<details><summary>RUN.json of the worst instance</summary><pre>{run}</pre></details>"
