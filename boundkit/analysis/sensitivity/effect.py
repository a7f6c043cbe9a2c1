"""Effect of a larger quantity on a bound: better, worse, none, or dependent on the region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sympy import Eq, Expr, Symbol
from sympy.core.relational import Relational

from boundkit.algebra.printing import plain

Word = Literal["better", "worse", "no effect", "depends"]

EFFECT_OF_SIGN: dict[int | None, Word] = {1: "worse", -1: "better", 0: "no effect", None: "depends"}
"""Effect of the sign of the derivative: a larger bound is worse."""

ARROWS: dict[Word, str] = {"better": "↓", "worse": "↑", "no effect": "·", "depends": "↕"}
"""Symbols of the effects, printed with the word."""


@dataclass(frozen=True)
class Region:
    """One part of an answer: ``effect`` holds where all of ``where`` do, in a case that ``within`` defines.

    ``lets`` defines the auxiliary symbols, such as eta_b, in the order in which they are needed.
    """

    effect: Word
    where: tuple[Relational, ...]
    case: str = ""
    within: tuple[Relational, ...] = ()
    lets: tuple[tuple[Symbol, Expr], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The region as JSON values."""
        return {
            "effect": self.effect,
            "where": [_written(r) for r in self.where],
            "case": self.case or None,
            "within": [_written(r) for r in self.within],
            "with": {letter.name: plain(expr) for letter, expr in self.lets},
        }

    def to_text(self, words: Mapping[str, str] | None = None) -> str:
        """The effect and its conditions; ``words`` may replace better and worse."""
        word = (words or {}).get(self.effect, self.effect)
        where = " and ".join(map(_written, self.where))
        return f"{word} where {where}" if where else word


@dataclass(frozen=True)
class Effect:
    """The effect of one quantity.

    "better" means that the bound is nonincreasing in the quantity, and "worse" that it is nondecreasing.
    ``exact`` is False for a numerical decision, over the ranges in ``because``. ``regions``
    are empty unless the answer is "depends", and may be empty there too where no formula was found.
    """

    word: Word
    because: str
    exact: bool = True
    regions: tuple[Region, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The effect as JSON values; formulas as plain text."""
        return {
            "effect": self.word,
            "because": self.because,
            "exact": self.exact,
            "regions": [r.to_dict() for r in self.regions],
        }


def _written(relation: Relational) -> str:
    """A relation as text, with a = b for Eq(a, b)."""
    if isinstance(relation, Eq):
        return f"{plain(relation.lhs)} = {plain(relation.rhs)}"
    return plain(relation)


def merged(regions: list[Region]) -> tuple[Word, tuple[Region, ...]]:
    """One word where all regions agree (apart from those without an effect), and else the regions."""
    words = {r.effect for r in regions}
    if len(words) == 1 and "depends" not in words:
        return words.pop(), ()
    if words in ({"better", "no effect"}, {"worse", "no effect"}):
        return ("better" if "better" in words else "worse"), ()
    return "depends", tuple(regions)
