"""Pieces of HTML that the page is put together from; what goes in is escaped here or by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from boundkit.figures.number_format import letter
from boundkit.figures.verification_report.inline_svg import Shelf


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
    known = letter(name)
    return escape(name) if known == name else shelf.formula(known.strip("$"), name)


def broken(name: str) -> str:
    """A name that may break after an underscore."""
    return escape(name).replace("_", "_<wbr>")
