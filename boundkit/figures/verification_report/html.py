"""The report as one HTML file: no script, no network, pictures inside; for telephone, projector and print."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from pathlib import Path

from sympy.printing.pretty.pretty_symbology import pretty_symbol

from boundkit.figures.number_format import symbol
from boundkit.figures.style import LEAST, colour
from boundkit.figures.verification_report.inline_svg import GlyphTable
from boundkit.figures.verification_report.lines import (
    SlopeEntry,
    TermRow,
    TheoremEntry,
    case_rows,
    constant_rows,
    counts,
    how,
    pair,
    record_link,
    setting_words,
    term_rows,
)
from boundkit.figures.verification_report.overview import headline, instance_ratios, note

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_HEADER = ("theorem", "verdict", "measured / bound", "slopes, measured (predicted)", "not tested")
_LEAD = (
    "Each theorem meets runs of its own algorithm. The number is measured/bound of its worst instance: at "
    "most 1 where the bound holds (at least 1 for a lower bound). Constants are exact (a formula, on all of "
    "space), local (measured along the run, which is all that a proof uses), estimated, or open where the "
    "bound is known up to them only."
)


def html(lines: Sequence[TheoremEntry], pictures: Mapping[str, bytes], page: Path) -> str:
    """The whole page."""
    tested = [line for line in lines if line.tested]
    others = [line for line in lines if not line.tested]
    glyphs = GlyphTable()
    body = ["<header><h1>Theorems against runs</h1>", _summary(lines), "</header>", _overview(tested)]
    if tested:
        rows = table(_HEADER, [_row(line) for line in tested], "verdicts")
        body.append(f"<section id='verdicts'><h2>Verdicts</h2>{rows}</section>")
    body += [section(line, pictures.get(line.name), page, glyphs) for line in tested]
    if others:
        reasons = [[f"<code>{broken(line.name)}</code>", escape(line.verdict["reason"])] for line in others]
        markup = table(["theorem", "because"], reasons)
        body.append(f"<section id='others'><h2>Not applicable</h2>{markup}</section>")
    return (
        head("Theorems against runs")
        + "\n".join([*body, glyphs.markup(), _footer(lines)])
        + "\n</body></html>\n"
    )


def _overview(tested: Sequence[TheoremEntry]) -> str:
    if not tested:
        return ""
    with_ratio = [line for line in tested if line.verdict["ratio"] is not None]
    markup = f"<p><b>{escape(headline(with_ratio))}.</b> {escape(note(with_ratio))}</p>" if with_ratio else ""
    return f"<section id='glance'><h2>At a glance</h2>{markup}{strip_chart(tested)}</section>"


def head(title: str) -> str:
    """All of a page up to its body."""
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{CSS}</style></head>\n<body>\n"
    )


def _summary(lines: Sequence[TheoremEntry]) -> str:
    markup = "".join(f"<li>{badge(answer)} {count}</li>" for answer, count in counts(lines))
    others = sum(not line.tested for line in lines)
    ways = "<a href='#verdicts'>Table of verdicts</a>"
    ways += f" <a href='#others'>Not applicable ({others})</a>" if others else ""
    links = f"<p class='ways'>{ways}</p>" if len(lines) > others else ""
    return f"<ul class='counts'>{markup}</ul><p>{_LEAD}</p>{links}"


def _row(line: TheoremEntry) -> list[str]:
    about = f"<small>{line.verdict['kind']}, constants {line.trust}</small>"
    return [
        f"<a href='#{line.name}'><code>{broken(line.name)}</code></a><br>{about}",
        badge(line.answer),
        escape(line.ratio),
        _slopes(line),
        escape(", ".join(name for name, _ in line.untested)) or "\N{EM DASH}",
    ]


def _slopes(line: TheoremEntry) -> str:
    if not line.slopes:
        return "not fitted"
    terms = "".join(
        f"<li>{escape(label)}: {', '.join(map(_slope, slopes))}</li>"
        for label, slopes in line.by_term.items()
    )
    return f"<b>{line.matched}</b><ul>{terms}</ul>"


def _slope(slope: SlopeEntry) -> str:
    """A letter and its pair in one piece, with minus signs; in red where they differ."""
    kind = "" if slope.outcome == "holds" else "bad"
    markup = pair(slope).replace("-", "\N{MINUS SIGN}").replace(" ", "&nbsp;")
    return f"<span class='{kind}'><i>{pretty_symbol(slope.letter)}</i>&nbsp;{markup}</span>"


def _footer(lines: Sequence[TheoremEntry]) -> str:
    versions = lines[0].record.versions if lines else {}
    markup = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"<footer>{escape(markup)}</footer>"


def section(line: TheoremEntry, picture: bytes | None, page: Path, glyphs: GlyphTable) -> str:
    """The whole section, as HTML."""
    name = f"<code>{broken(line.name)}</code>"
    parts = [
        f"<section class='theorem' id='{line.name}'><h2>{badge(line.answer)} {name}</h2>",
        f"<p class='source'>{escape(line.source)}</p>" if line.source else "",
        f"<p>{escape(line.verdict['reason'])}</p>",
        glyphs.picture(picture, f"bound against run of {line.name}") if picture else "",
        _terms(term_rows(line), glyphs),
        f"<p class='small'>{escape(f'{setting_words(line)} {how(line)}'.strip())}</p>",
        _instances(line),
        _checks(line),
        _constants(line, glyphs),
        _replay(line, page),
        "<p class='up'><a href='#glance'>to the top</a></p></section>",
    ]
    return "\n".join(part for part in parts if part)


def _terms(rows: Sequence[TermRow], glyphs: GlyphTable) -> str:
    body = [
        [
            f"<span class='swatch' style='background:{colour(r.cause)}'></span>{escape(r.label)}",
            glyphs.formula(r.latex, r.plain),
            r.value,
            r.share,
        ]
        for r in rows
    ]
    return titled("Terms, at the worst instance", ["term", "formula", "value", "share"], body)


def _instances(line: TheoremEntry) -> str:
    rows = [[escape(r[0]), badge(r[1]), *map(escape, r[2:])] for r in case_rows(line)]
    return titled("Instances", ["instance", "verdict", "measured / bound", "constants", "engine"], rows)


def _checks(line: TheoremEntry) -> str:
    rows = [[escape(c["name"]), badge(c["outcome"]), escape(c["sentence"])] for c in line.verdict["checks"]]
    return titled("Checks", ["check", "outcome", "what was seen"], rows)


def _constants(line: TheoremEntry, glyphs: GlyphTable) -> str:
    rows = [[quantity(glyphs, r[0]), *map(escape, r[1:])] for r in constant_rows(line)]
    return titled("Constants of the worst instance", ["constant", "value", "trust", "how"], rows)


def _replay(line: TheoremEntry, page: Path) -> str:
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


def quantity(glyphs: GlyphTable, name: str) -> str:
    """The letter of a quantity, by its keyword."""
    with_ratio = symbol(name)
    return escape(name) if with_ratio == name else glyphs.formula(with_ratio.strip("$"), name)


def broken(name: str) -> str:
    """A name that may break after an underscore."""
    return escape(name).replace("_", "_<wbr>")


_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_ONE_HTML_COLUMN = 12
"""So few theorems stand in one column."""


class _Scale:
    """Decades from left to right, in per cent of the width."""

    def __init__(self, lines: Sequence[TheoremEntry]) -> None:
        ratios = [
            max(r, LEAST)
            for line in lines
            for r in (*instance_ratios(line), line.verdict["ratio"])
            if r is not None
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


def strip_chart(lines: Sequence[TheoremEntry]) -> str:
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


def _track(line: TheoremEntry, scale: _Scale) -> str:
    name = f"<a href='#{line.name}'>{broken(line.name)}</a>"
    share = line.verdict["ratio"]
    if share is None:
        letters = ", ".join(dict.fromkeys(s.letter for s in line.slopes))
        markup = f"scaling in {escape(letters)}" if letters else escape(line.ratio)
        track = f"<em class='{css_class(line.answer)}'>{markup}</em>"
        return f"<li><span>{name}</span><span class='track'>{track}</span><span>{_sign(line)}</span></li>"
    dots = "".join(f"<i style='{scale.at(r)}'></i>" for r in instance_ratios(line))
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


def _sign(line: TheoremEntry) -> str:
    """The answer where there is no number, unless it is the usual one."""
    return "" if line.answer == "holds" else escape(line.answer)


def _power(k: int) -> str:
    return "1" if k == 0 else f"10{str(k).translate(_RAISED)}"


CSS = """
:root { color-scheme: light; --ink: #1b1f24; --faint: #6b7280; --line: #e5e7eb; --blue: #0a58cc; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 84rem; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Verdana, sans-serif; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.45rem; line-height: 1.3; margin: 3rem 0 .8rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
a { color: var(--blue); text-decoration: none; } a:hover { text-decoration: underline; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
h2 code { font-weight: 600; font-size: .95em; }
.source, .small, footer, .up { color: var(--faint); font-size: .9rem; }
.source { margin: -.4rem 0 .6rem; }
footer { margin-top: 4rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.ways a { margin-right: 1.2rem; }
.counts { display: flex; flex-wrap: wrap; gap: 1.4rem; list-style: none; padding: 0; margin: 0 0 .8rem; }
.counts li { font-size: 1.15rem; font-weight: 600; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .8rem;
  font-weight: 600; white-space: nowrap; vertical-align: middle; border: 1px solid; }
.holds { color: #0b6b3a; background: #e7f6ee; border-color: #9fd8ba; }
.violated { color: #a50d25; background: #fdeaec; border-color: #f0a7b1; }
.undecided { color: #8a5300; background: #fff4e0; border-color: #eecb8d; }
.not-applicable, .not-tested { color: #4b5563; background: #f3f4f6; border-color: #d1d5db; }
.bad { color: #a50d25; font-weight: 700; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th { text-align: left; color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line);
  padding: .35rem .7rem .35rem 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .4rem .7rem .4rem 0; vertical-align: top;
  font-variant-numeric: tabular-nums; }
table.verdicts td:first-child { min-width: 15rem; } td:nth-child(2) .badge { white-space: nowrap; }
small { color: var(--faint); font-size: .85em; }
td ul { margin: .1rem 0 0; padding: 0; list-style: none; font-size: .92em; color: #374151; }
td ul i { font-family: "DejaVu Serif", Georgia, serif; }
.picture { display: block; width: 100%; max-width: 62rem; height: auto; margin: .6rem 0; }
.picture * { stroke-linejoin: round; stroke-linecap: butt; }
.formula { vertical-align: middle; max-width: 100%; height: auto; fill: currentColor; overflow: visible; }
.theorem > p, .theorem > .wide, header > p, #glance > p { max-width: 62rem; }
.glance { display: grid; gap: 0 2.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); }
.glance ol { list-style: none; margin: 0; padding: 0; }
.glance li { display: grid; grid-template-columns: minmax(10rem, 19rem) 1fr 3.6rem; gap: .7rem;
  align-items: center; border-bottom: 1px solid var(--line); font-size: .88rem; line-height: 1.25;
  padding: .12rem 0; font-variant-numeric: tabular-nums; }
.glance .scale { color: var(--faint); border: 0; }
.track { position: relative; height: 1.3rem; } .track > * { position: absolute; top: 50%; }
.track s { transform: translate(-50%, -50%); text-decoration: none; white-space: nowrap; }
.track q { top: -.15rem; bottom: -.15rem; border-left: 2px solid var(--ink); quotes: none; }
.track i, .track b { border-radius: 50%; transform: translate(-50%, -50%); border: 0; padding: 0; }
.track i { width: .5rem; height: .5rem; background: #4b5563; opacity: .6; }
.track b { width: .85rem; height: .85rem; background: var(--blue); outline: 2px solid #fff; }
.track b.violated { background: #c8102e; border-radius: 0; } .track b.undecided { background: #ae6a00; }
.track b.lower { border-radius: 0; clip-path: polygon(100% 0, 100% 100%, 0 50%); outline: 0; }
.track u { height: 3px; margin-top: -1px; background: var(--blue); text-decoration: none;
  border: 0; padding: 0; }
.track u.violated { background: #c8102e; } .track u.undecided { background: #ae6a00; }
.track em { position: static; font-style: normal; font-size: .92em; background: none; }
.pairs { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; max-width: 62rem; }
.pairs dd { margin: 0; } .theorem > ul { max-width: 62rem; padding-left: 1.2rem; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .5em; }
details { margin: .8rem 0; font-size: .88rem; } summary { cursor: pointer; color: var(--blue); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f9fafb; border: 1px solid var(--line);
  border-radius: .4rem; padding: .8rem; font-size: .78rem; max-height: 20rem; overflow-y: auto; }
@media (max-width: 640px) {
  body { padding: 1rem .9rem 3rem; } h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
  .glance li { grid-template-columns: 1fr 3.4rem; gap: 0 .6rem; padding: .3rem 0; }
  .glance li > :first-child { grid-column: 1 / 3; } .glance .scale > :first-child { display: none; }
  .wide { overflow: visible; } table, tbody, tr, td { display: block; width: 100%; } thead { display: none; }
  tr { border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .6rem; margin: 0 0 .6rem; }
  .pairs { grid-template-columns: 1fr; gap: 0; } .pairs dd { margin: 0 0 .5rem; }
  td { border: 0; padding: .15rem 0; overflow-wrap: anywhere; }
  td:not(:first-child):not(:empty)::before { content: attr(data-of) ": "; color: var(--faint); }
}
@media print {
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  a { color: inherit; }
    h2, h3 { break-after: avoid; } tr, .picture, .glance li { break-inside: avoid; }
  details, .up { display: none; }
  .wide { overflow: visible; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
