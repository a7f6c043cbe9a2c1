"""Statements as a notebook shows them: LaTeX that Jupyter, Colab and VS Code set alike.

One formula with a line for what does not fit beside the rest, and below it the conditions and the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from sympy import fraction

from boundkit.algebra.printing import SIGNS, conditions_latex, latex, plain, under_braced
from boundkit.algebra.term import Term

if TYPE_CHECKING:
    from boundkit.algebra.theorem import Theorem

WIDEST = 60
"""Letters beside each other that a line of terms may have."""

_SPECIAL = re.compile(r"[\\{}$&#%_^~]")


def displayed(formula: str) -> str:
    """A formula on a line of its own."""
    return f"$\\displaystyle {formula}$"


def words(text: str) -> str:
    r"""Text inside a formula; letters that mean something to TeX become spaces.

    >>> print(words("Theorem 1 & 2"))
    \text{Theorem 1   2}
    """
    return rf"\text{{{_SPECIAL.sub(' ', text)}}}"


def aligned(lines: Iterable[str]) -> str:
    """Lines that stand below each other at their ampersands."""
    joined = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{joined}\n\\end{{aligned}}"


def lines_of_terms(terms: Iterable[Term], first: str = "") -> list[str]:
    """The terms, under-braced by their labels, as many in a line as fit; ``first`` stands before them."""
    lines: list[str] = []
    room = 0.0
    for term in terms:
        length = _width(term)
        if lines and length <= room:
            lines[-1] += f" + {under_braced(term)}"
        else:
            lines.append(f"{'&+ ' if lines else f'{first}& '}{under_braced(term)}")
            room = WIDEST
        room -= length
    return lines


def _width(term: Term) -> float:
    """About how many letters stand beside each other: a name counts as one, a fraction as its wider half."""
    halves = (re.sub(r"[A-Za-z]\w*", "x", plain(half)) for half in fraction(term.expr))
    return max(0.7 * len(term.label), *(len(re.sub(r"[*^]", "", half)) for half in halves)) + 3


def theorem_latex(theorem: Theorem) -> str:
    """The claim, its bound by cause, the conditions, and the source."""
    lines = lines_of_terms(theorem.terms, f"{theorem.claim.latex} {SIGNS[theorem.kind][0]}\\;")
    conditions = (*theorem.step_size, *theorem.requires)
    if conditions:
        lines.append(rf"{words('for')}\quad& {conditions_latex(conditions)}")
    if theorem.rules:
        rules = r",\quad ".join(f"{latex(q)} = {latex(e)}" for q, e in theorem.rules.items())
        lines.append(rf"{words('at')}\quad& {rules}")
    for k, (quantity, meaning) in enumerate(theorem.definitions.items()):
        lines.append(rf"{'' if k else words('with')}\quad& {latex(quantity)} = {latex(meaning)}")
    said = wrap(f"{theorem.source}", 90)
    lines += [rf"{words('source') if k == 0 else ''}\quad& {words(part)}" for k, part in enumerate(said)]
    return aligned(lines)
