"""One line of a proof: what stands in the bound so far, and what is put in its place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sympy import Expr, expand

from boundkit.algebra.printing import SIGNS, latex, plain

Kind = Literal["inequality", "identity", "weight"]
_SIGNS: dict[Kind, tuple[str, str]] = {
    "inequality": SIGNS["upper"], "identity": SIGNS["tight"], "weight": SIGNS["upper"],
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A line of a proof. What came before it is a sum; ``of`` is a letter in it, or a product of some.

    An ``inequality`` says of <= by, in every round, or, ``in_mean``, in the mean over rounds only; ``by``
    takes the place of ``of``, with the weight that ``of`` has in the sum. An ``identity`` says of = by. A
    ``weight`` says that the weight itself is at most ``by``, which takes its place: there a step-size
    condition is used. ``cause``: the term of the bound whose constant pays for it; ``because``: the reason.
    """

    name: str
    of: Expr
    by: Expr
    cause: str
    because: str
    kind: Kind = "inequality"
    in_mean: bool = False

    def after(self, before: Expr) -> Expr:
        """The sum with the step done."""
        left, right = self.sides(before)
        return before + expand(right - left)

    def weight(self, before: Expr) -> Expr:
        """The weight of ``of`` in the sum, multiplied out; 0 where it does not stand in it."""
        return before.coeff(self.of)

    def sides(self, before: Expr) -> tuple[Expr, Expr]:
        """Left and right, with the weight that they have in the sum."""
        weight = self.weight(before)
        return weight * self.of, self.by * (self.of if self.kind == "weight" else weight)

    def statement(self, before: Expr) -> tuple[Expr, Expr]:
        """Left and right without the weight, unless it is the weight that is bounded."""
        if self.kind == "weight":
            return self.sides(before)
        return self.of, self.by

    def latex(self, before: Expr) -> str:
        """The statement as LaTeX."""
        return _said(*self.statement(before), self.kind)[0]

    def plain(self, before: Expr) -> str:
        """The statement on one line."""
        return _said(*self.statement(before), self.kind)[1]


@lru_cache(maxsize=1000)
def _said(left: Expr, right: Expr, kind: Kind) -> tuple[str, str]:
    """As LaTeX and as plain text: printing takes longer than evaluating."""
    signs = _SIGNS[kind]
    return f"{latex(left)} {signs[0]} {latex(right)}", f"{plain(left)} {signs[1]} {plain(right)}"
