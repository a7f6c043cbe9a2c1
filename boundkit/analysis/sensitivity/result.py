"""Effects of larger quantities on a bound: single effects, and the result of ``sensitivity``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from sympy import Eq, Expr, Symbol
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import Formula, plain
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table

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


@dataclass(frozen=True)
class QuantityEffects:
    """The effects of one quantity by reading; ``fixed`` is a combination that is fixed as well."""

    name: str
    fixed: str
    effects: dict[str, Effect]

    @property
    def title(self) -> str:
        """The quantity, and the fixed combination."""
        return f"{self.name} at fixed {self.fixed}" if self.fixed else self.name


@dataclass(frozen=True, repr=False, eq=False)
class Sensitivity(Reported):
    """The effects of larger quantities on a bound: down is better.

    ``readings`` are "fixed steps", "under the rules" with rules for the steps, and "best eta" with
    a free eta.
    """

    theorem: Theorem
    rules: dict[str, Expr]
    readings: tuple[str, ...]
    rows: tuple[QuantityEffects, ...]

    def effect(self, name: str, reading: str = "fixed steps", fixed: str = "") -> Effect:
        """The effect of one quantity in one reading.

        Raises BoundkitError for a quantity or a reading that the answer does not have.
        """
        row = next((r for r in self.rows if (r.name, r.fixed) == (name, fixed)), None)
        if row is None:
            raise unknown(f"quantity of {self.theorem.name}", name, [r.name for r in self.rows])
        if reading not in row.effects:
            raise BoundkitError(
                f"{name} has no answer for {reading!r}; it has {' and '.join(map(repr, row.effects))}."
            )
        return row.effects[reading]

    @property
    def up_to_constants(self) -> bool:
        """Whether the source leaves a constant unspecified."""
        return self.theorem.order_level

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; formulas as plain text."""
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "kind": self.theorem.kind,
            "rules": {name: plain(rule) for name, rule in self.rules.items()},
            "readings": list(self.readings),
            "effects": [
                {
                    "name": row.name,
                    "held": row.fixed or None,
                    "readings": {reading: effect.to_dict() for reading, effect in row.effects.items()},
                }
                for row in self.rows
            ],
            "up_to_constants": self.up_to_constants,
        }

    def report(self) -> Report:
        """The table, and the regions of each effect that depends."""
        rules = [Formula(rule, name) for name, rule in self.rules.items()]
        cells = Table(["", *self.readings], self._cells(), left=1 + len(self.readings))
        where = (Sentences(paragraph) for paragraph in self._dependence())
        return Report((Heading(self._title()), Sentences(rules), cells, *where, Sentences(self._footnote())))

    def _title(self) -> str:
        if self.theorem.kind == "lower":
            return f"{self.theorem.name}: what a larger quantity does to the lower bound"
        return f"{self.theorem.name}: what a larger quantity does to the bound (down is better)"

    def _dependence(self) -> list[list[str]]:
        """The reason and the regions of each effect that depends."""
        return [
            [f"{row.title}, {reading}: {effect.because}", *describe_regions(effect)]
            for row in self.rows
            for reading, effect in row.effects.items()
            if effect.word == "depends"
        ]

    def _footnote(self) -> list[str]:
        return [] if self._exact else ["*: numerically, not by an argument for all values."]

    @property
    def _exact(self) -> bool:
        return all(e.exact for row in self.rows for e in row.effects.values())

    def _cells(self) -> list[list[Cell]]:
        return [[row.title, *(cell(row.effects.get(r)) for r in self.readings)] for row in self.rows]


def cell(effect: Effect | None) -> str:
    """An arrow and a word; a star for a numerical decision."""
    if effect is None:
        return ""
    return f"{ARROWS[effect.word]} {effect.word}{'' if effect.exact else ' *'}"


def describe_regions(effect: Effect, words: Mapping[str, str] | None = None) -> list[str]:
    """The regions, by case, and their auxiliary symbols; ``words`` may replace better and worse."""
    lines: list[str] = []
    for case, group in groupby(effect.regions, key=lambda r: r.case):
        regions = list(group)
        indent = "  "
        if case:
            lines.append(f"  {case}: {' and '.join(map(plain, regions[0].within))}")
            indent = "    "
        lines += [f"{indent}{region.to_text(words)}" for region in regions]
    lets = dict(pair for region in effect.regions for pair in region.lets)
    return [*lines, *(f"  with {letter} = {plain(expr)}" for letter, expr in lets.items())]
