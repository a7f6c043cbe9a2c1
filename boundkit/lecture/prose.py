"""Prose of a chapter: Markdown as HTML, formulas between dollars as MathML."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from boundkit.figures.mathml import mathml


def html(text: str) -> str:
    r"""Paragraphs, lists, tables and formulas.

    >>> html("With *drift*.")
    '<p>With <em>drift</em>.</p>\n'

    Raises BoundkitError for a formula that cannot be read.
    """
    return str(_reader().render(text))


def inline(text: str) -> str:
    """The same without the paragraph around it, for a cell or a heading."""
    return str(_reader().renderInline(text))


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").use(dollarmath_plugin)
    reader.add_render_rule("math_inline", _formula)
    reader.add_render_rule("math_block", _display)
    return reader


def _formula(
    self: RendererProtocol,
    tokens: Sequence[Token],
    place: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    return mathml(tokens[place].content)


def _display(
    self: RendererProtocol,
    tokens: Sequence[Token],
    place: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    return f'<div class="formula">{mathml(tokens[place].content.strip(), display=True)}</div>'
