"""The report as one HTML file: no script, no network, pictures inside; for telephone, projector and print."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path

from sympy.printing.pretty.pretty_symbology import pretty_symbol

from boundkit.figures.cause_styles import colour
from boundkit.figures.number_format import symbol
from boundkit.figures.verdict_styles import LEAST
from boundkit.figures.verification_report.inline_svg import Shelf
from boundkit.figures.verification_report.lines import (
    Line,
    Slope,
    TermRow,
    case_rows,
    constant_rows,
    counts,
    how,
    pair,
    record_link,
    setting_words,
    term_rows,
)
from boundkit.figures.verification_report.overview import headline, note, others
from boundkit.figures.verification_report.stylesheet import CSS

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEADER = ("theorem", "verdict", "measured / bound", "slopes, measured (predicted)", "not tested")
_LEAD = (
    "Each theorem meets runs of its own algorithm. The number is measured/bound of its worst instance: at "
    "most 1 where the bound holds (at least 1 for a lower bound). Constants are exact (a formula, on all of "
    "space), local (measured along the run, which is all that a proof uses), estimated, or open where the "
    "bound is known up to them only."
)


def html(lines: Sequence[Line], pictures: Mapping[str, bytes], page: Path) -> str:
    """The whole page."""
    spoken = [line for line in lines if line.spoken]
    others = [line for line in lines if not line.spoken]
    shelf = Shelf()
    body = ["<header><h1>Theorems against runs</h1>", _summary(lines), "</header>", _glance(spoken)]
    if spoken:
        rows = table(_HEADER, [_row(line) for line in spoken], "verdicts")
        body.append(f"<section id='verdicts'><h2>Verdicts</h2>{rows}</section>")
    body += [section(line, pictures.get(line.name), page, shelf) for line in spoken]
    if others:
        reasons = [[f"<code>{broken(line.name)}</code>", escape(line.verdict["reason"])] for line in others]
        markup = table(["theorem", "because"], reasons)
        body.append(f"<section id='others'><h2>Not applicable</h2>{markup}</section>")
    return (
        head("Theorems against runs")
        + "\n".join([*body, shelf.markup(), _footer(lines)])
        + "\n</body></html>\n"
    )


def _glance(spoken: Sequence[Line]) -> str:
    if not spoken:
        return ""
    with_ratio = [line for line in spoken if line.verdict["ratio"] is not None]
    markup = f"<p><b>{escape(headline(with_ratio))}.</b> {escape(note(with_ratio))}</p>" if with_ratio else ""
    return f"<section id='glance'><h2>At a glance</h2>{markup}{glance(spoken)}</section>"


def head(title: str) -> str:
    """All of a page up to its body."""
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{CSS}</style></head>\n<body>\n"
    )


def _summary(lines: Sequence[Line]) -> str:
    markup = "".join(f"<li>{badge(answer)} {count}</li>" for answer, count in counts(lines))
    others = sum(not line.spoken for line in lines)
    ways = "<a href='#verdicts'>Table of verdicts</a>"
    ways += f" <a href='#others'>Not applicable ({others})</a>" if others else ""
    links = f"<p class='ways'>{ways}</p>" if len(lines) > others else ""
    return f"<ul class='counts'>{markup}</ul><p>{_LEAD}</p>{links}"


def _row(line: Line) -> list[str]:
    about = f"<small>{line.verdict['kind']}, constants {line.trust}</small>"
    return [
        f"<a href='#{line.name}'><code>{broken(line.name)}</code></a><br>{about}",
        badge(line.answer),
        escape(line.ratio),
        _slopes(line),
        escape(", ".join(name for name, _ in line.untested)) or "\N{EM DASH}",
    ]


def _slopes(line: Line) -> str:
    if not line.slopes:
        return "not fitted"
    terms = "".join(
        f"<li>{escape(label)}: {', '.join(map(_slope, slopes))}</li>"
        for label, slopes in line.by_term.items()
    )
    return f"<b>{line.matched}</b><ul>{terms}</ul>"


def _slope(slope: Slope) -> str:
    """A letter and its pair in one piece, with minus signs; in red where they differ."""
    kind = "" if slope.outcome == "holds" else "bad"
    markup = pair(slope).replace("-", "\N{MINUS SIGN}").replace(" ", "&nbsp;")
    return f"<span class='{kind}'><i>{pretty_symbol(slope.letter)}</i>&nbsp;{markup}</span>"


def _footer(lines: Sequence[Line]) -> str:
    versions = lines[0].record.versions if lines else {}
    markup = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"<footer>{escape(markup)}</footer>"


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
    markup = f"<p class='small'>Record: <a href='{escape(link)}'>{escape(link)}</a></p>" if link else ""
    if not line.record.run:
        return markup
    run = escape(json.dumps(line.record.run))
    return f"{markup}<details><summary>RUN.json of the worst instance</summary><pre>{run}</pre></details>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table whose cells are HTML."""
    head = "".join(f"<th>{escape(h)}</th>" for h in header)
    body = "".join(f"<tr>{_cells(header, row)}</tr>" for row in rows)
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<div class='wide'><table class='{kind}'>{inside}</table></div>"


def _cells(header: Sequence[str], row: Sequence[str]) -> str:
    """Each cell knows its column, which a narrow page says beside it."""
    return "".join(
        f"<td data-of='{escape(name, quote=True)}'>{cell}</td>"
        for name, cell in zip(header, row, strict=True)
    )


def titled(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same under a title; nothing where there is no row."""
    return f"<h3>{escape(title)}</h3>{table(header, rows)}" if rows else ""


def badge(answer: str) -> str:
    """An answer, or an outcome, in its colours."""
    return f"<span class='badge {css_class(answer)}'>{escape(answer)}</span>"


def css_class(answer: str) -> str:
    """The class that gives an answer its colours."""
    return answer.replace(" ", "-")


def quantity(shelf: Shelf, name: str) -> str:
    """The letter of a quantity, by its keyword."""
    with_ratio = symbol(name)
    return escape(name) if with_ratio == name else shelf.formula(with_ratio.strip("$"), name)


def broken(name: str) -> str:
    """A name that may break after an underscore."""
    return escape(name).replace("_", "_<wbr>")


_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_ONE_HTML_COLUMN = 12
"""So few theorems stand in one column."""


class _Scale:
    """Decades from left to right, in per cent of the width."""

    def __init__(self, lines: Sequence[Line]) -> None:
        ratios = [
            max(r, LEAST) for line in lines for r in (*others(line), line.verdict["ratio"]) if r is not None
        ]
        self.low = floor(log10(min([*ratios, 0.1])))
        self.left = self.low - 0.3
        self.high = max(ceil(log10(max([*ratios, 1.0]))), 0) + 0.35

    def at(self, ratio: float) -> str:
        place = (log10(max(ratio, 10.0**self.low)) - self.left) / (self.high - self.left)
        return f"left:{100 * min(place, 1.0):.1f}%"

    def row(self) -> str:
        """The scale itself, with a number at each decade."""
        powers = range(self.low, floor(self.high) + 1)
        step = 1 if len(powers) <= 6 else 2
        marks = "".join(f"<s style='{self.at(10.0**k)}'>{_power(k)}</s>" for k in powers if k % step == 0)
        return f"<li class='scale'><span></span><span class='track'>{marks}</span><span></span></li>"


def glance(lines: Sequence[Line]) -> str:
    """The lines of all theorems that were tested on a run; empty where there is none."""
    if not lines:
        return ""
    scale = _Scale(lines)
    middle = len(lines) if len(lines) <= _ONE_HTML_COLUMN else (len(lines) + 1) // 2
    columns = [part for part in (lines[:middle], lines[middle:]) if part]
    markup = "".join(
        f"<ol>{scale.row()}{''.join(_track(line, scale) for line in part)}{scale.row()}</ol>"
        for part in columns
    )
    return f"<div class='glance'>{markup}</div>"


def _track(line: Line, scale: _Scale) -> str:
    name = f"<a href='#{line.name}'>{broken(line.name)}</a>"
    share = line.verdict["ratio"]
    if share is None:
        letters = ", ".join(dict.fromkeys(s.letter for s in line.slopes))
        markup = f"scaling in {escape(letters)}" if letters else escape(line.ratio)
        track = f"<em class='{css_class(line.answer)}'>{markup}</em>"
        return f"<li><span>{name}</span><span class='track'>{track}</span><span>{_sign(line)}</span></li>"
    dots = "".join(f"<i style='{scale.at(r)}'></i>" for r in others(line))
    ends = line.verdict["interval"]
    if ends and ends[0] < ends[1]:
        low, high = scale.at(max(ends[0], LEAST)), scale.at(ends[1])
        right = 100 - float(high.removeprefix("left:").removesuffix("%"))
        dots += f"<u class='{css_class(line.answer)}' style='{low};right:{right:.1f}%'></u>"
    kind = f"{css_class(line.answer)}{' lower' if line.verdict['kind'] == 'lower' else ''}"
    dots += f"<b class='{kind}' style='{scale.at(share)}'></b>"
    bound = f"<q style='{scale.at(1.0)}'></q>"
    number = line.ratio.split(" in ")[0]
    return f"<li><span>{name}</span><span class='track'>{bound}{dots}</span><span>{number}</span></li>"


def _sign(line: Line) -> str:
    """The answer where there is no number, unless it is the usual one."""
    return "" if line.answer == "holds" else escape(line.answer)


def _power(k: int) -> str:
    return "1" if k == 0 else f"10{str(k).translate(_RAISED)}"
