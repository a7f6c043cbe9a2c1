"""Pieces of HTML that the page is put together from; what goes in is escaped here or by the caller."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from boundkit.figures.reporting.pictures import formula_svg
from boundkit.figures.words import letter


def table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """A table whose cells are HTML."""
    head = "".join(f"<th>{escape(h)}</th>" for h in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f"<div class='wide'><table class='{kind}'>{inside}</table></div>"


def titled(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same under a title; nothing where there is no row."""
    return f"<h3>{escape(title)}</h3>{table(header, rows)}" if rows else ""


def badge(answer: str) -> str:
    """An answer, or an outcome, in its colours."""
    return f"<span class='badge {css_class(answer)}'>{escape(answer)}</span>"


def css_class(answer: str) -> str:
    """The class that gives an answer its colours."""
    return answer.replace(" ", "-")


def image(svg: bytes, said: str, kind: str = "picture") -> str:
    """A picture inside the page, with the words that stand for it."""
    data = base64.b64encode(svg).decode()
    return f"<img class='{kind}' alt='{escape(said, quote=True)}' src='data:image/svg+xml;base64,{data}'>"


def formula(latex: str, plain: str) -> str:
    """A formula as matplotlib sets it, or else as plain text."""
    drawn = formula_svg(latex) if latex else None
    return f"<code>{escape(plain)}</code>" if drawn is None else image(drawn, plain, "formula")


def quantity(name: str) -> str:
    """The letter of a quantity, by its keyword."""
    known = letter(name)
    return escape(name) if known == name else formula(known.strip("$"), name)


def broken(name: str) -> str:
    """A name that may break after an underscore."""
    return escape(name).replace("_", "_<wbr>")
