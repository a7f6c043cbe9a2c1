r"""How results show themselves in a notebook: as HTML that is well-formed XML, with formulas as LaTeX.

The pieces are those of the terminal: a ``Formula`` prints as plain text there, and between \( and \) here,
where a notebook sets it. Text is escaped. Nothing has a colour, so that a dark page stays dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.printing import latex, plain


@dataclass(frozen=True)
class Formula:
    r"""An expression or condition; ``of`` is the keyword of what it is equal to, or a product of such.

    >>> from boundkit.algebra.notation import L, tau
    >>> str(Formula(1 / (L * tau), "eta")), Formula(1 / (L * tau), "eta").latex
    ('eta = 1/(L*tau)', '\\eta = \\frac{1}{L \\tau}')
    """

    expr: object
    of: str = ""

    @property
    def latex(self) -> str:
        """As LaTeX, in the letters of the house."""
        letters = (ALPHABET[n].latex if n in ALPHABET else rf"\mathrm{{{n}}}" for n in self.of.split("*"))
        return f"{' '.join(letters)} = {latex(self.expr)}" if self.of else latex(self.expr)

    def __str__(self) -> str:
        return f"{self.of} = {plain(self.expr)}" if self.of else plain(self.expr)


@dataclass(frozen=True)
class Tex:
    """What no expression stands behind, such as a claim: its LaTeX, and what a terminal shows."""

    latex: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Line:
    """Words and formulas, one after another."""

    pieces: tuple[str | Formula | Tex, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


Cell: TypeAlias = str | Formula | Tex | Line
"""What a table holds, and what a sentence is."""

_NUMBER = re.compile(r"-?(\d[\d.]*(e[-+]?\d+)?(/\d+)?|inf)( %|\*)?|never|")
_TEXT, _DIGITS = ' style="text-align:left"', ' style="text-align:right"'
_TITLE = ' style="text-align:left;white-space:nowrap"'  # else as narrow as the table below it


def line(*pieces: Cell) -> Line:
    """Pieces as one sentence."""
    flat: list[str | Formula | Tex] = []
    for piece in pieces:
        flat += piece.pieces if isinstance(piece, Line) else [piece]
    return Line(tuple(flat))


def listed(pieces: Iterable[Cell], separator: str = ", ") -> Line:
    """Pieces with something between them."""
    parts = list(pieces)
    return line(*(p for k, part in enumerate(parts) for p in ((separator, part) if k else (part,))))


def math(source: str) -> str:
    r"""LaTeX as a notebook sets it.

    >>> math("a < b")
    '\\(a &lt; b\\)'
    """
    return rf"\({escape(source)}\)"


def inline(cell: Cell) -> str:
    """A cell as HTML."""
    if isinstance(cell, Line):
        return "".join(map(inline, cell.pieces))
    return escape(cell) if isinstance(cell, str) else math(cell.latex)


def _indented(cell: Cell) -> str:
    """A cell on its own: spaces in front, which a page would drop, are one wide space."""
    html = inline(cell)
    inner = html.lstrip(" ")
    return inner if inner == html else f"\N{EM SPACE}{inner}"


def _in_table(cell: Cell) -> str:
    """A formula that stands alone is set as large as one on a line of its own."""
    return math(rf"\displaystyle {cell.latex}") if isinstance(cell, (Formula, Tex)) else _indented(cell)


def heading(title: Cell) -> str:
    """The bold first line of a result."""
    return f"<p><b>{inline(title)}</b></p>"


def link(address: str, words: str) -> str:
    """A link in a paragraph of its own."""
    return f'<p><a href="{escape(address)}">{escape(words)}</a></p>'


def notes(lines: Iterable[Cell]) -> str:
    """Sentences, one a line; nothing where there are none."""
    body = "<br/>".join(_indented(each) for each in lines)
    return f"<p>{body}</p>" if body else ""


def html_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = "") -> str:
    """A table: columns of numbers, mostly, to the right, all else to the left. A caption is a short title.

    >>> print(html_table(["term", "value"], [["gap < 1", "0.4"]]).split("<tbody>")[1].split("</tbody>")[0])
    <tr><td style="text-align:left">gap &lt; 1</td><td style="text-align:right">0.4</td></tr>
    """
    columns = range(len(header))
    looks = [_DIGITS if 2 * sum(_is_number(row[k]) for row in rows) > len(rows) else _TEXT for k in columns]
    head = "".join(f"<th{looks[k]}>{_breaking(header[k])}</th>" for k in columns)
    body = "".join(
        "<tr>" + "".join(f"<td{looks[k]}>{_in_table(row[k])}</td>" for k in columns) + "</tr>" for row in rows
    )
    title = f"<caption{_TITLE}>{escape(caption)}</caption>" if caption else ""
    titles = f"<thead><tr>{head}</tr></thead>" if any(header) else ""
    return f"<table>{title}{titles}<tbody>{body}</tbody></table>"


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None


def _breaking(name: str) -> str:
    """The name of a theorem may break after each word, or a few of them fill the page."""
    return escape(name).replace("_", "_<wbr/>")
