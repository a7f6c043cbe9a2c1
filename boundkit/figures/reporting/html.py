"""The report as one HTML file: no script, no network, pictures inside, and fit for print."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from sympy.printing.pretty.pretty_symbology import pretty_symbol

from boundkit.figures.causes import colour
from boundkit.figures.reporting.lines import Line, counts, pair
from boundkit.figures.reporting.look import CSS
from boundkit.figures.reporting.pictures import formula_svg
from boundkit.figures.reporting.values import (
    TermRow,
    case_rows,
    constant_rows,
    how,
    record_link,
    setting_words,
    term_rows,
)
from boundkit.figures.words import letter

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def html(lines: Sequence[Line], pictures: Mapping[str, bytes], glance: bytes | None, page: Path) -> str:
    """The whole page."""
    spoken = [line for line in lines if line.spoken]
    others = [line for line in lines if not line.spoken]
    body = ["<header><h1>Theorems against runs</h1>", _summary(lines), "</header>", _contents(spoken, others)]
    if glance is not None:
        body.append(f"<section id='glance'><h2>At a glance</h2>{_image(glance, 'measured over bound')}</section>")
    if spoken:
        body.append(f"<section id='verdicts'><h2>Verdicts</h2>{_verdicts(spoken)}</section>")
    body += [_section(line, pictures.get(line.name), page) for line in spoken]
    if others:
        rows = [[f"<code>{_broken(line.name)}</code>", escape(line.verdict["reason"])] for line in others]
        body.append(
            f"<section id='others'><h2>Not applicable</h2>{_table(['theorem', 'because'], rows)}</section>"
        )
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Theorems against runs</title><style>{CSS}</style></head>\n<body>\n"
        + "\n".join(body)
        + f"\n{_footer(lines)}\n</body></html>\n"
    )


def _summary(lines: Sequence[Line]) -> str:
    said = "".join(f"<li>{_badge(answer)} {count}</li>" for answer, count in counts(lines))
    return (
        f"<ul class='counts'>{said}</ul><p>Each theorem meets runs of its own algorithm. The number is "
        "measured/bound of its worst instance: at most 1 where the bound holds. Constants are exact (a formula, "
        "on all of space), local (measured along the run, which is all that a proof uses) or estimated.</p>"
    )


def _contents(spoken: Sequence[Line], others: Sequence[Line]) -> str:
    pages = "<a href='#glance'>At a glance</a> <a href='#verdicts'>Verdicts</a>"
    if others:
        pages += f" <a href='#others'>Not applicable ({len(others)})</a>"
    entries = "".join(
        f"<li><span class='dot {_class(line.answer)}' title='{line.answer}'></span>"
        f"<a href='#{line.name}'>{_broken(line.name)}</a></li>"
        for line in spoken
    )
    return f"<nav><h2>Contents</h2><p>{pages}</p><ol>{entries}</ol></nav>"


def _verdicts(spoken: Sequence[Line]) -> str:
    header = ["theorem", "verdict", "kind", "constants", "measured / bound",
              "slopes, measured (predicted)", "not tested"]  # fmt: skip
    rows = [
        [f"<a href='#{line.name}'><code>{_broken(line.name)}</code></a>", _badge(line.answer),
         line.verdict["kind"], line.verdict["constants"] or "none needed", escape(line.ratio), _slopes(line),
         escape(", ".join(name for name, _ in line.untested)) or "nothing"]
        for line in spoken
    ]  # fmt: skip
    return _table(header, rows, "verdicts")


def _slopes(line: Line) -> str:
    if not line.slopes:
        return "none fitted"
    terms = "".join(
        f"<li>{escape(label)}: "
        + ", ".join(
            f"<span class='{'' if s.outcome == 'holds' else 'bad'}'><i>{pretty_symbol(s.letter)}</i>&nbsp;{_signed(pair(s))}</span>"
            for s in found
        )
        + "</li>"
        for label, found in line.by_term.items()
    )
    return f"<b>{line.matched}</b><ul>{terms}</ul>"


def _section(line: Line, picture: bytes | None, page: Path) -> str:
    parts = [
        f"<section class='theorem' id='{line.name}'><h2>{_badge(line.answer)} <code>{_broken(line.name)}</code></h2>",
        f"<p class='source'>{escape(line.source)}</p>" if line.source else "",
        f"<p>{escape(line.verdict['reason'])}</p>",
        _image(picture, f"bound against run of {line.name}") if picture else "",
        _terms(term_rows(line)),
        f"<p class='small'>{escape(f'{setting_words(line)} {how(line)}'.strip())}</p>",
        _titled("Instances", ["instance", "verdict", "measured / bound", "constants", "engine"],
                [[escape(r[0]), _badge(r[1]), *map(escape, r[2:])] for r in case_rows(line)]),
        _titled("Checks", ["check", "outcome", "what was seen"],
                [[escape(c["name"]), _badge(c["outcome"]), escape(c["sentence"])] for c in line.verdict["checks"]]),
        _titled("Constants of the worst instance", ["constant", "value", "trust", "how"],
                [[_letter(r[0]), *map(escape, r[1:])] for r in constant_rows(line)]),
        _replay(line, page),
        "<p class='up'><a href='#verdicts'>to the table</a></p></section>",
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _terms(rows: Sequence[TermRow]) -> str:
    body = [
        [f"<span class='swatch' style='background:{colour(r.cause)}'></span>{escape(r.label)}",
         _formula(r), r.value, r.share]
        for r in rows
    ]  # fmt: skip
    return _titled("Terms, at the worst instance", ["term", "formula", "value", "share"], body)


def _formula(row: TermRow) -> str:
    drawn = formula_svg(row.latex) if row.latex else None
    return f"<code>{escape(row.plain)}</code>" if drawn is None else _image(drawn, row.plain, "formula")


def _replay(line: Line, page: Path) -> str:
    link = record_link(line, page)
    said = f"<p class='small'>Record: <a href='{escape(link)}'>{escape(link)}</a></p>" if link else ""
    if not line.record.run:
        return said
    run = escape(json.dumps(line.record.run))
    return f"{said}<details><summary>RUN.json of the worst instance</summary><pre>{run}</pre></details>"


def _footer(lines: Sequence[Line]) -> str:
    versions = lines[0].record.versions if lines else {}
    said = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"<footer>{escape(said)}</footer>"


def _titled(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"<h3>{escape(title)}</h3>{_table(header, rows)}" if rows else ""


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f"<div class='wide'><table class='{kind}'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _badge(answer: str) -> str:
    return f"<span class='badge {_class(answer)}'>{escape(answer)}</span>"


def _class(answer: str) -> str:
    return answer.replace(" ", "-")


def _signed(pair: str) -> str:
    """With minus signs, and in one piece."""
    return pair.replace("-", "\N{MINUS SIGN}").replace(" ", "&nbsp;")


def _letter(name: str) -> str:
    drawn = formula_svg(letter(name).strip("$")) if letter(name) != name else None
    return escape(name) if drawn is None else _image(drawn, name, "formula")


def _image(svg: bytes, said: str, kind: str = "picture") -> str:
    data = base64.b64encode(svg).decode()
    return f"<img class='{kind}' alt='{escape(said, quote=True)}' src='data:image/svg+xml;base64,{data}'>"


def _broken(name: str) -> str:
    """A name that may break after an underscore."""
    return escape(name).replace("_", "_<wbr>")
