"""A bound as LaTeX and as plain text, both printed from the one expression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Symbol
from sympy.core.relational import Relational
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from boundkit.algebra.claim import Claim
from boundkit.algebra.client_sums import ClientMax, ClientSum, RoundMax, RoundMean
from boundkit.algebra.local_sums import LocalSum
from boundkit.algebra.term import Term

SIGNS: dict[str, tuple[str, str]] = {
    "upper": (r"\le", "<="),
    "tight": ("=", "="),
    "order": (r"\lesssim", "<~"),
    "lower": (r"\ge", ">="),
}
"""Between a claim and its bound, by the kind of the theorem: as LaTeX and as plain text."""


class _PositiveFirst:
    """sympy puts the highest power first; (1 - mu s)^T reads better than (-mu s + 1)^T."""

    def _as_ordered_terms(self, expr: Expr, order: str | None = None) -> list[Expr]:
        terms = super()._as_ordered_terms(expr, order)  # type: ignore[misc]  # the printer's, sympy has no types
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))


class _Latex(_PositiveFirst, LatexPrinter):  # type: ignore[misc]  # sympy carries no types
    """A quantity that has a superscript already, such as chi^2, is bracketed before it is raised.

    A sum is bracketed where a factor follows, which it would otherwise take in.
    """

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
    r"""An expression or condition as LaTeX, in the letters of the house.

    >>> from boundkit.algebra.notation import C, eta
    >>> print(latex(1 - C * eta**2))
    1 - C \eta^{2}
    """
    return str(_Latex().doprint(expr))


def under_braced(term: Term) -> str:
    """A term as LaTeX, with its label below."""
    return rf"\underbrace{{{latex(term.expr)}}}_{{\text{{{term.label}}}}}"


def bound_latex(
    claim: Claim, terms: Mapping[str, Term], aligned: bool = True, kind: str = "upper", below: bool = False
) -> str:
    r"""The claim below its bound, each term under-braced by its label.

    ``aligned`` gives one line a term in an ``aligned`` environment, for a page; otherwise one line.
    ``below`` begins those lines below the claim, for a narrow page.
    """
    sign = SIGNS[kind][0]
    braced = [under_braced(t) for t in terms.values()]
    if not aligned:
        return f"{claim.latex} {sign} " + " + ".join(braced)
    if below:
        first, *others = braced
        lines = [f"& {claim.latex} \\;{sign}", f"& \\quad {first}", *(f"& \\quad + {b}" for b in others)]
    else:
        lines = [f"{claim.latex} {sign}\\;& {braced[0]}", *(f"&+ {b}" for b in braced[1:])]
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


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
