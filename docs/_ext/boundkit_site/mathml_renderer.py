"""Formulas of the pages as MathML: no script, no web font, nothing fetched."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from boundkit.algebra import BoundkitError
from boundkit.lecture.markdown import mathml
from boundkit.lecture.site import cause_variables

LONGEST = 70
"""Characters of LaTeX that fit on a line of a telephone, about."""


def setup(app: Any) -> None:
    """Register the renderer ``mathml``, and the colours of causes on every page."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("html-page-context", _add_colours)


def _add_colours(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The colours of causes as CSS variables, for the light and the dark theme."""
    light, dark = cause_variables("light"), cause_variables("dark")
    style = f'<style>:root {{ {light}}} html[data-theme="dark"] {{ {dark}}}</style>'
    context["metatags"] = context.get("metatags", "") + style


def visit_inline(translator: Any, node: nodes.math) -> None:
    """A formula in a line; on a narrow screen a long one scrolls."""
    wide = " wide" if len(node.astext()) > LONGEST else ""
    translator.body.append(f'<span class="formula{wide}">{_set(node, display=False)}</span>')
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own, in a box that scrolls where it is wider than the page."""
    translator.body.append(f'<div class="formula" tabindex="0">{_set(node, display=True)}</div>\n')
    raise nodes.SkipNode


def _set(node: Any, display: bool) -> str:
    try:
        return mathml(node.astext(), display)
    except BoundkitError as error:
        from sphinx.util import logging

        logging.getLogger(__name__).warning("%s", error, location=node)
        return str(error)
