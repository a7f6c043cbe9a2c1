"""Formulas of a report: expressions that print as plain text, and as LaTeX where mathematics is set."""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.printing import latex, plain


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
