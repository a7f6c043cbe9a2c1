r"""LaTeX as MathML, so that a page shows formulas without a script, a font or a network.

Expressions are printed as LaTeX (``boundkit.algebra.printing``); this module sets LaTeX on a page.
"""

from __future__ import annotations

import re
from functools import lru_cache

from latex2mathml import exceptions
from latex2mathml.converter import convert

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
