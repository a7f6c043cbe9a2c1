r"""Sums and maxima over clients, and means and maxima over rounds, as formulas.

Inside them a quantity with an index i, such as tau_i, stands for the value of one client. They print
in mathematical notation, and evaluate with arrays whose last axis runs over clients (and the one
before it over rounds). ``ActiveShare`` is the value of one client, and needs all of them.
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
        """Its value for homogeneous clients."""
        return m * inside


class ClientMax(_Over):
    r"""The maximum over clients, :math:`\max_i`."""

    word = "max_i"
    sign = r"\max_i"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for homogeneous clients."""
        return inside


class RoundMean(_Over):
    r"""The mean over rounds, :math:`\frac1T\sum_t`, of an expression that may differ between rounds."""

    word = "mean_t"
    sign = r"\frac{1}{T} \sum_{t<T}"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for identical rounds."""
        return inside


class RoundMax(_Over):
    r"""The maximum over rounds, :math:`\max_t`."""

    word = "max_t"
    sign = r"\max_t"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for identical rounds."""
        return inside


class ActiveShare(_Over):
    r"""Expected weight of client i in the average over participants: :math:`\mathbb{E}[1\{i \in S\}/|S|]`.

    Its argument is the probability that client i participates, independently of the others. It is not the
    probability divided by the sum of probabilities: fewer participants give each of them more weight.

    >>> from boundkit.algebra.notation import q_i
    >>> ActiveShare(q_i)
    share_i(q_i)
    """

    word = "share_i"
    sign = r"\operatorname{share}_i"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        raised = "" if exp is None else f"^{{{exp}}}"
        return rf"{self.sign}{raised}\left({printer._print(self.args[0])}\right)"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for homogeneous clients: the participants share 1, given that there is one."""
        return (1 - (1 - inside) ** m) / m
