"""Result of ``sensitivity``: a table of effects, and the regions of those that depend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sympy import Expr

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.formula import Formula
from boundkit.algebra.printing import plain
from boundkit.analysis.sensitivity.effect import ARROWS, Effect
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table


@dataclass(frozen=True)
class Row:
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
    rows: tuple[Row, ...]

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
