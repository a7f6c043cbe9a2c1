"""Expressions, bounds, theorems and the formulas of a report as LaTeX and as plain text.

In a notebook a statement is one formula, with one line for what does not fit on the line before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from sympy import Expr, Symbol, fraction
from sympy.core.relational import Relational
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from boundkit.algebra.claim import Claim
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.sums import ClientMax, ClientSum, LocalSum, RoundMax, RoundMean

if TYPE_CHECKING:
    from boundkit.algebra.term import Term
    from boundkit.algebra.theorem import Theorem


SIGNS: dict[str, tuple[str, str]] = {
    "upper": (r"\le", "<="),
    "tight": ("=", "="),
    "order": (r"\lesssim", "<~"),
    "lower": (r"\ge", ">="),
}
"""Relation between a claim and its bound, by the kind of theorem: as LaTeX and as plain text."""


class _PositiveFirst:
    """sympy puts the highest power first; (1 - mu s)^T reads better than (-mu s + 1)^T."""

    def _as_ordered_terms(self, expr: Expr, order: str | None = None) -> list[Expr]:
        terms = super()._as_ordered_terms(expr, order)  # type: ignore[misc]  # the printer's, sympy has no types
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


class _Latex(_PositiveFirst, LatexPrinter):  # type: ignore[misc]  # sympy carries no types
    """Brackets a quantity with a superscript, such as chi^2, before a power, and a sum before a factor."""

    def _needs_mul_brackets(self, expr: Expr, first: bool = False, last: bool = False) -> bool:
        if super()._needs_mul_brackets(expr, first=first, last=last):
            return True
        return not last and isinstance(expr, (ClientSum, ClientMax, RoundMean, RoundMax, LocalSum))

    def _print_Pow(self, expr: Expr) -> str:
        if (
            isinstance(expr.base, Symbol)
            and "^" in self._print(expr.base)
            and expr.exp.is_Integer
            and expr.exp > 1
        ):
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"
        return str(super()._print_Pow(expr))


class _Plain(_PositiveFirst, StrPrinter):  # type: ignore[misc]  # sympy carries no types
    """With ^ for powers, as people type it."""

    def _print_Pow(self, expr: object, rational: bool = False) -> str:
        return str(super()._print_Pow(expr, rational)).replace("**", "^")


def latex(expr: object) -> str:
    r"""An expression or condition as LaTeX, in the symbols of the notation.

    >>> from boundkit.algebra.notation import C, eta
    >>> print(latex(1 - C * eta**2))
    1 - C \eta^{2}
    """
    return str(_Latex().doprint(expr))


def under_braced(term: Term) -> str:
    """A term as LaTeX, with its label below."""
    return rf"\underbrace{{{latex(term.expr)}}}_{{\text{{{term.label}}}}}"


def bound_latex(claim: Claim, terms: Mapping[str, Term], aligned: bool = True, kind: str = "upper") -> str:
    r"""The claim below its bound, each term under-braced by its label.

    ``aligned`` gives one line a term in an ``aligned`` environment, for a page; otherwise one line.
    """
    sign = SIGNS[kind][0]
    braced = [under_braced(t) for t in terms.values()]
    if not aligned:
        return f"{claim.latex} {sign} " + " + ".join(braced)
    return align_lines([f"{claim.latex} {sign}\\;& {braced[0]}", *(f"&+ {b}" for b in braced[1:])])


def bound_plain(claim: Claim, terms: Mapping[str, Term], kind: str = "upper") -> str:
    """The claim and one line a term, for a terminal."""
    shown = {label: plain(t.expr) for label, t in terms.items()}
    width = max(map(len, shown.values()))
    lines = [f"  {'+' if i else ' '} {e:<{width}}   {label}" for i, (label, e) in enumerate(shown.items())]
    return "\n".join([f"{claim.plain} {SIGNS[kind][1]}", *lines])


def conditions_latex(conditions: Iterable[Relational]) -> str:
    """Step-size conditions, joined by commas."""
    return r",\quad ".join(latex(c) for c in conditions)


def plain(expr: object) -> str:
    """An expression or condition on one line.

    >>> from boundkit.algebra.notation import eta, sigma_g, tau
    >>> plain(12 * eta**2 * tau * (tau - 1) * sigma_g**2)
    '12*eta^2*sigma_g^2*tau*(tau - 1)'
    """
    return str(_Plain().doprint(expr))


LONGEST_LINE = 60
"""Symbols on one line of terms, at most."""

_SPECIAL = re.compile(r"[\\{}$&#%_^~]")


def display(formula: str) -> str:
    """A formula in display style."""
    return f"$\\displaystyle {formula}$"


def escape_text(text: str) -> str:
    r"""Text inside a formula; characters special to TeX become spaces.

    >>> print(escape_text("Theorem 1 & 2"))
    \text{Theorem 1   2}
    """
    return rf"\text{{{_SPECIAL.sub(' ', text)}}}"


def align_lines(lines: Iterable[str]) -> str:
    """Lines aligned at their ampersands."""
    joined = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{joined}\n\\end{{aligned}}"


def term_lines(terms: Iterable[Term], first: str = "") -> list[str]:
    """The terms, under-braced by their labels, as many on a line as fit; ``first`` precedes them."""
    lines: list[str] = []
    remaining = 0.0
    for term in terms:
        length = _width(term)
        if lines and length <= remaining:
            lines[-1] += f" + {under_braced(term)}"
        else:
            lines.append(f"{'&+ ' if lines else f'{first}& '}{under_braced(term)}")
            remaining = LONGEST_LINE
        remaining -= length
    return lines


def _width(term: Term) -> float:
    """Approximate width in symbols: a name counts as one, a fraction as its wider half."""
    halves = (re.sub(r"[A-Za-z]\w*", "x", plain(half)) for half in fraction(term.expr))
    return max(0.7 * len(term.label), *(len(re.sub(r"[*^]", "", half)) for half in halves)) + 3


def theorem_latex(theorem: Theorem) -> str:
    """The claim, its bound by cause, the conditions, and the source."""
    lines = term_lines(theorem.terms, f"{theorem.claim.latex} {SIGNS[theorem.kind][0]}\\;")
    conditions = (*theorem.step_size, *theorem.requires)
    if conditions:
        lines.append(rf"{escape_text('for')}\quad& {conditions_latex(conditions)}")
    if theorem.rules:
        rules = r",\quad ".join(f"{latex(q)} = {latex(e)}" for q, e in theorem.rules.items())
        lines.append(rf"{escape_text('at')}\quad& {rules}")
    for k, (quantity, meaning) in enumerate(theorem.definitions.items()):
        lines.append(rf"{'' if k else escape_text('with')}\quad& {latex(quantity)} = {latex(meaning)}")
    parts = wrap(f"{theorem.source}", 90)
    source = escape_text("source")
    lines += [rf"{'' if k else source}\quad& {escape_text(part)}" for k, part in enumerate(parts)]
    return align_lines(lines)


@dataclass(frozen=True)
class Formula:
    r"""An expression or condition; ``of`` is the keyword of the quantity it equals, or a product of such.

    >>> from boundkit.algebra.notation import L, tau
    >>> str(Formula(1 / (L * tau), "eta")), Formula(1 / (L * tau), "eta").latex
    ('eta = 1/(L*tau)', '\\eta = \\frac{1}{L \\tau}')
    """

    expr: object
    of: str = ""

    @property
    def latex(self) -> str:
        """The LaTeX, in the symbols of the notation."""
        symbols = (ALPHABET[n].latex if n in ALPHABET else rf"\mathrm{{{n}}}" for n in self.of.split("*"))
        return f"{' '.join(symbols)} = {latex(self.expr)}" if self.of else latex(self.expr)

    def __str__(self) -> str:
        return f"{self.of} = {plain(self.expr)}" if self.of else plain(self.expr)
