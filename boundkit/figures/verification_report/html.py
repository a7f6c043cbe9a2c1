"""The report as one HTML file: no script, no network, pictures inside; for telephone, projector and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from sympy.printing.pretty.pretty_symbology import pretty_symbol

from boundkit.figures.verification_report.html_elements import badge, broken, table
from boundkit.figures.verification_report.inline_svg import Shelf
from boundkit.figures.verification_report.lines import Line, Slope, counts, pair
from boundkit.figures.verification_report.overview import headline, note
from boundkit.figures.verification_report.overview_lines import glance
from boundkit.figures.verification_report.section import section
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
        said = table(["theorem", "because"], reasons)
        body.append(f"<section id='others'><h2>Not applicable</h2>{said}</section>")
    return (
        head("Theorems against runs")
        + "\n".join([*body, shelf.markup(), _footer(lines)])
        + "\n</body></html>\n"
    )


def _glance(spoken: Sequence[Line]) -> str:
    if not spoken:
        return ""
    known = [line for line in spoken if line.verdict["ratio"] is not None]
    said = f"<p><b>{escape(headline(known))}.</b> {escape(note(known))}</p>" if known else ""
    return f"<section id='glance'><h2>At a glance</h2>{said}{glance(spoken)}</section>"


def head(title: str) -> str:
    """All of a page up to its body."""
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<meta http-equiv='Content-Security-Policy' content=\"{_POLICY}\">"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{CSS}</style></head>\n<body>\n"
    )


def _summary(lines: Sequence[Line]) -> str:
    said = "".join(f"<li>{badge(answer)} {count}</li>" for answer, count in counts(lines))
    others = sum(not line.spoken for line in lines)
    ways = "<a href='#verdicts'>Table of verdicts</a>"
    ways += f" <a href='#others'>Not applicable ({others})</a>" if others else ""
    links = f"<p class='ways'>{ways}</p>" if len(lines) > others else ""
    return f"<ul class='counts'>{said}</ul><p>{_LEAD}</p>{links}"


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
        f"<li>{escape(label)}: {', '.join(map(_slope, found))}</li>" for label, found in line.by_term.items()
    )
    return f"<b>{line.matched}</b><ul>{terms}</ul>"


def _slope(slope: Slope) -> str:
    """A letter and its pair in one piece, with minus signs; in red where they differ."""
    kind = "" if slope.outcome == "holds" else "bad"
    said = pair(slope).replace("-", "\N{MINUS SIGN}").replace(" ", "&nbsp;")
    return f"<span class='{kind}'><i>{pretty_symbol(slope.letter)}</i>&nbsp;{said}</span>"


def _footer(lines: Sequence[Line]) -> str:
    versions = lines[0].record.versions if lines else {}
    said = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"<footer>{escape(said)}</footer>"
