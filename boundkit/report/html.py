r"""Reports as HTML that is well-formed XML, for notebooks and pages.

Formulas stand between \( and \), where a notebook sets them. Text is escaped. Nothing has a colour, so that a
dark page stays dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from boundkit.report.blocks import (
    Block,
    Cell,
    Code,
    Display,
    Heading,
    Link,
    Listing,
    Sentence,
    Sentences,
    Table,
)

_NUMBER = re.compile(r"-?(\d[\d.]*(e[-+]?\d+)?(/\d+)?|inf)( %|\*)?|never|")
_TEXT, _DIGITS = ' style="text-align:left"', ' style="text-align:right"'
_TITLE = ' style="text-align:left;white-space:nowrap"'  # else as narrow as the table below it


def write_html(blocks: Iterable[Block]) -> str:
    """Write the blocks, one after another."""
    return "".join(map(_block, blocks))


def _block(block: Block) -> str:
    match block:
        case Heading(title):
            return heading(title)
        case Sentences(lines):
            return notes(lines)
        case Listing(title, items):
            entries = "".join(f"<li>{inline(item)}</li>" for item in items)
            return f"<p>{inline(title)}</p><ul>{entries}</ul>" if items else ""
        case Code(title, lines):
            code = escape("\n".join(lines))
            return f"<p>{inline(title)}</p><pre>{code}</pre>" if lines else ""
        case Display(title, formula, lines):
            return f"<p>{inline(title)}</p><p>{html_display(formula.latex)}</p>{notes(lines)}"
        case Table(header, rows, _, caption):
            return html_table(header, rows, caption) if rows else ""
        case Link(address, text):
            return f'<p><a href="{escape(address)}">{escape(text)}</a></p>'


def math(source: str) -> str:
    r"""Mark LaTeX, so that a notebook sets it.

    >>> math("a < b")
    '\\(a &lt; b\\)'
    """
    return rf"\({escape(source)}\)"


def html_display(source: str) -> str:
    """Mark LaTeX on lines of its own."""
    return rf"\[{escape(source)}\]"


def inline(cell: Cell) -> str:
    """Write a cell as HTML."""
    if isinstance(cell, Sentence):
        return "".join(map(inline, cell.pieces))
    return escape(cell) if isinstance(cell, str) else math(cell.latex)


def _indented(cell: Cell) -> str:
    """A cell on its own: spaces in front, which a page would drop, are one wide space."""
    html = inline(cell)
    inner = html.lstrip(" ")
    return inner if inner == html else f"\N{EM SPACE}{inner}"


def _in_table(cell: Cell) -> str:
    """A formula that stands alone is set as large as one on a line of its own."""
    if isinstance(cell, (str, Sentence)):
        return _indented(cell)
    return math(rf"\displaystyle {cell.latex}")


def heading(title: Cell) -> str:
    """Write the bold first line of a result."""
    return f"<p><b>{inline(title)}</b></p>"


def notes(lines: Iterable[Cell]) -> str:
    """Write sentences, one a line; nothing where there are none."""
    body = "<br/>".join(_indented(each) for each in lines)
    return f"<p>{body}</p>" if body else ""


def html_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], caption: Cell = "") -> str:
    """Write a table: columns of numbers, mostly, to the right, all else to the left.

    >>> print(html_table(["term", "value"], [["gap < 1", "0.4"]]).split("<tbody>")[1].split("</tbody>")[0])
    <tr><td style="text-align:left">gap &lt; 1</td><td style="text-align:right">0.4</td></tr>
    """
    columns = range(len(header))
    looks = [_DIGITS if 2 * sum(_is_number(row[k]) for row in rows) > len(rows) else _TEXT for k in columns]
    head = "".join(f"<th{looks[k]}>{_breaking(header[k])}</th>" for k in columns)
    body = "".join(
        "<tr>" + "".join(f"<td{looks[k]}>{_in_table(row[k])}</td>" for k in columns) + "</tr>" for row in rows
    )
    title = f"<caption{_TITLE}>{inline(caption)}</caption>" if caption else ""
    titles = f"<thead><tr>{head}</tr></thead>" if any(header) else ""
    return f"<table>{title}{titles}<tbody>{body}</tbody></table>"


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, str) and _NUMBER.fullmatch(cell) is not None


def _breaking(name: str) -> str:
    """The name of a theorem may break after each word, or a few of them fill the page."""
    return escape(name).replace("_", "_<wbr/>")
