"""What a larger quantity does to a bound: better, worse, nothing, or it depends, and then on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sympy import Eq, Expr, Symbol
from sympy.core.relational import Relational

from boundkit.algebra.printing import plain

Word = Literal["better", "worse", "no effect", "depends"]

EFFECT_OF_SIGN: dict[int | None, Word] = {1: "worse", -1: "better", 0: "no effect", None: "depends"}
"""A bound that grows promises less."""

ARROWS: dict[Word, str] = {"better": "↓", "worse": "↑", "no effect": "·", "depends": "↕"}
"""What the bound does; the word stands beside it."""


@dataclass(frozen=True)
class Region:
    """One part of an answer: ``effect`` holds where all of ``where`` do, in a case that ``within`` defines.

    ``lets`` gives the letters that are no quantities, such as eta_b, in the order in which they are needed.
    """

    effect: Word
    where: tuple[Relational, ...]
    case: str = ""
    within: tuple[Relational, ...] = ()
    lets: tuple[tuple[Symbol, Expr], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON."""
        return {
            "effect": self.effect,
            "where": [_written(r) for r in self.where],
            "case": self.case or None,
            "within": [_written(r) for r in self.within],
            "with": {letter.name: plain(expr) for letter, expr in self.lets},
        }

    def to_text(self, words: Mapping[str, str] | None = None) -> str:
        """The effect and where it holds; ``words`` may stand for better and worse."""
        word = (words or {}).get(self.effect, self.effect)
        where = " and ".join(map(_written, self.where))
        return f"{word} where {where}" if where else word


@dataclass(frozen=True)
class Effect:
    """The answer for one quantity.

    "better" means that the bound never grows with the quantity, and "worse" that it never falls.
    ``exact`` is False where only numbers decided; ``because`` then says over which ranges. ``regions``
    are empty unless the answer is "depends", and may be empty there too where no formula was found.
    """

    word: Word
    because: str
    exact: bool = True
    regions: tuple[Region, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; formulas as plain text."""
        return {
            "effect": self.word,
            "because": self.because,
            "exact": self.exact,
            "regions": [r.to_dict() for r in self.regions],
        }


def _written(relation: Relational) -> str:
    """A relation as people write it: sympy has Eq(a, b) for a = b."""
    if isinstance(relation, Eq):
        return f"{plain(relation.lhs)} = {plain(relation.rhs)}"
    return plain(relation)


def merged(regions: list[Region]) -> tuple[Word, tuple[Region, ...]]:
    """One word where all regions say the same (what has no effect aside), and else the regions."""
    words = {r.effect for r in regions}
    if len(words) == 1 and "depends" not in words:
        return words.pop(), ()
    if words in ({"better", "no effect"}, {"worse", "no effect"}):
        return ("better" if "better" in words else "worse"), ()
    return "depends", tuple(regions)
