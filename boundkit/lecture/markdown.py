"""Markdown of the lecture: as HTML with formulas as MathML, and as blocks and directives.

A directive is a block between lines of colons, as in MyST: its name in braces, an argument, options, a body.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from latex2mathml import exceptions
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from boundkit.algebra import BoundkitError

_UNREADABLE = tuple(
    kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception)
)
"""The exceptions of latex2mathml, which have no common base."""

_BRACED = re.compile(r"<munder><munder>(.*?)<mo>&#x23DF;</mo></munder>", re.DOTALL)
_BRACE = '<munder class="braced"><mrow style="border-bottom: 0.09em solid; padding-bottom: 0.12em">'

_ALIGNED = re.compile(r"\\(begin|end)\{aligned\}")
"""An environment that the converter knows by another name."""


@lru_cache(maxsize=5000)
def mathml(latex: str, display: bool = False) -> str:
    r"""A formula as a MathML element; ``display`` sets it on a line of its own.

    The LaTeX goes along as an annotation, for readers that copy, and for screen readers that know it.
    Raises BoundkitError where it cannot be read.

    >>> mathml(r"\sigma_g^{2}").count("<msubsup>")
    1
    """
    try:
        made = convert(_ALIGNED.sub(r"\\\1{split}", latex), display="block" if display else "inline")
    except _UNREADABLE as error:
        raise BoundkitError(f"{latex!r} is no formula that can be set as MathML.") from error
    lost = re.search(r"\\[A-Za-z]+", made)
    if lost is not None:
        raise BoundkitError(f"{lost[0]} in {latex!r} has no form in MathML.")
    # Browsers took the attribute out of MathML and left its work to CSS.
    made = re.sub(r'columnalign="(left|right)"', r'columnalign="\1" style="text-align: \1"', made)
    # A brace stretches only with a font that knows how; a line below does with every font.
    return _annotated(_BRACED.sub(rf"{_BRACE}\1</mrow>", made), latex)


def _annotated(made: str, latex: str) -> str:
    head, _, rest = made.partition(">")
    body = rest.removesuffix("</math>")
    source = latex.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    note = f'<annotation encoding="application/x-tex">{source}</annotation>'
    return f"{head}><semantics>{body}{note}</semantics></math>"


@dataclass(frozen=True)
class MarkdownHeading:
    """A heading with its level, 1 to 6."""

    level: int
    text: str


@dataclass(frozen=True)
class Directive:
    """``:::{name} argument``, options such as ``:key: value`` on the next lines, and a body."""

    name: str
    argument: str
    options: Mapping[str, str]
    body: str

    def option(self, name: str) -> str:
        """A required option. Raises BoundkitError where it is missing."""
        if name not in self.options:
            raise BoundkitError(f"the directive {self.name} {self.argument} needs a line :{name}: ...")
        return self.options[name]


def html(text: str) -> str:
    r"""Paragraphs, lists, tables and formulas as HTML.

    >>> html("With *drift*.")
    '<p>With <em>drift</em>.</p>\n'

    Raises BoundkitError for a formula that cannot be read.
    """
    return str(_parser().render(text))


def inline(text: str) -> str:
    """The same without the paragraph around it, for a cell or a heading."""
    return str(_parser().renderInline(text))


def blocks(text: str) -> Iterator[MarkdownHeading | Directive | str]:
    r"""Headings, directives, and the Markdown between them.

    >>> list(blocks("# Title\n\nLead.\n\n:::{theorem} sgd_nonconvex\n:::"))[:2]
    [MarkdownHeading(level=1, text='Title'), 'Lead.']
    """
    lines = text.splitlines()
    tokens = _parser().parse(text)
    end = 0
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.level or token.map is None or token.type not in ("heading_open", "colon_fence"):
            continue
        start = token.map[0]
        if between := "\n".join(lines[end:start]).strip():
            yield between
        end = token.map[1]
        if token.type == "colon_fence":
            yield _directive(token)
        else:
            assert following is not None
            yield MarkdownHeading(int(token.tag[1:]), following.content)
    if rest := "\n".join(lines[end:]).strip():
        yield rest


def split_at_list(text: str) -> tuple[str, tuple[str, ...], str]:
    r"""The Markdown before the first list, the items of the list, and the Markdown after it.

    >>> split_at_list("Which?\n\n- one\n- two\n  and more\n\nBecause.")
    ('Which?', ('one', 'two\nand more'), 'Because.')
    """
    lines, tokens = text.splitlines(), _parser().parse(text)
    first = next((t for t in tokens if t.type in ("bullet_list_open", "ordered_list_open")), None)
    if first is None or first.map is None:
        raise BoundkitError(f"{textwrap.shorten(text, 60)!r} holds no list, but one is needed here.")
    start, end = first.map
    spans = [t.map for t in tokens if t.type == "list_item_open" and t.level == 1 and t.map is not None]
    items = (_item(lines[i:j]) for i, j in spans if start <= i < end)
    return "\n".join(lines[:start]).strip(), tuple(items), "\n".join(lines[end:]).strip()


def cells(text: str) -> tuple[str, list[tuple[str, ...]]]:
    r"""The Markdown before a table, and its rows, the head first.

    >>> cells("Caption.\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    ('Caption.', [('a', 'b'), ('1', '2')])
    """
    lines, tokens = text.splitlines(), _parser().parse(text)
    start = next(t.map[0] for t in tokens if t.type == "table_open" and t.map is not None)
    rows: list[list[str]] = []
    for token, following in pairwise(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(following.content)
    return "\n".join(lines[:start]).strip(), [tuple(row) for row in rows]


def _item(lines: Sequence[str]) -> str:
    marker = re.match(r"(?:[-*+]|\d+[.)])\s+", lines[0])
    assert marker is not None, lines[0]
    first, rest = lines[0][marker.end() :], "\n".join(lines[1:])
    return f"{first}\n{textwrap.dedent(rest)}".strip()


def _directive(token: Token) -> Directive:
    head = re.fullmatch(r"\{([a-z-]+)\}\s*(.*)", token.info.strip())
    if head is None:
        raise BoundkitError(f"{token.info.strip()!r} is no directive; it begins as :::{{name}}.")
    options: dict[str, str] = {}
    lines = token.content.splitlines()
    name = ""
    while lines:
        option = re.fullmatch(r":([a-z]+):\s*(.*)", lines[0])
        if option is not None:
            name = option[1]
            options[name] = option[2]
        elif name and lines[0].startswith("  "):
            options[name] += f" {lines[0].strip()}"
        else:
            break
        lines.pop(0)
    return Directive(head[1], head[2].strip(), options, "\n".join(lines).strip())


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.use(dollarmath_plugin).use(colon_fence_plugin)
    for kind in ("math_inline", "math_block"):
        parser.add_render_rule(kind, _formula)
    return parser


def _formula(
    self: RendererProtocol,
    tokens: Sequence[Token],
    index: int,
    options: Mapping[str, Any],
    env: MutableMapping[str, Any],
) -> str:
    token = tokens[index]
    if token.type == "math_inline":
        return mathml(token.content)
    return f'<div class="formula">{mathml(token.content.strip(), display=True)}</div>'
