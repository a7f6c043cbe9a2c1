r"""Sums and maxima over clients, and means and maxima over rounds, as formulas.

Inside them a quantity with an index i, such as tau_i, stands for the value of one client. They print
as mathematicians write them, and evaluate with arrays whose last axis runs over clients (and the one
before it over rounds).
"""

from __future__ import annotations

from typing import Any, ClassVar

from sympy import Expr, Function


class _Over(Function):  # type: ignore[misc]  # sympy carries no types
    """A reduction of one expression over an index."""

    nargs = 1
    word: ClassVar[str]
    sign: ClassVar[str]

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_nonnegative else None

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.args[0].is_extended_positive else None

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_finite else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        inside = printer._print(self.args[0])
        if self.args[0].is_Add:
            inside = rf"\left({inside}\right)"
        text = f"{self.sign} {inside}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({printer._print(self.args[0])})"


class ClientSum(_Over):
    r"""The sum over clients, :math:`\sum_{i=1}^m`.

    >>> from boundkit.algebra.notation import p_i, tau_i
    >>> ClientSum(p_i * tau_i)
    sum_i(p_i*tau_i)
    """

    word = "sum_i"
    sign = r"\sum_{i=1}^{m}"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value where all clients are alike."""
        return m * inside


class ClientMax(_Over):
    r"""The maximum over clients, :math:`\max_i`."""

    word = "max_i"
    sign = r"\max_i"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value where all clients are alike."""
        return inside


class RoundMean(_Over):
    r"""The mean over rounds, :math:`\frac1T\sum_t`, of what may differ from round to round."""

    word = "mean_t"
    sign = r"\frac{1}{T} \sum_{t<T}"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value where all rounds are alike."""
        return inside


class RoundMax(_Over):
    r"""The maximum over rounds, :math:`\max_t`."""

    word = "max_t"
    sign = r"\max_t"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value where all rounds are alike."""
        return inside
