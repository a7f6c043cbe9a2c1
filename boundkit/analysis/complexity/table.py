"""The complexities of several theorems side by side, as talks print them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boundkit.algebra.formula import Formula
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import Complexity
from boundkit.report import Cell, join_cells, sentence
from boundkit.report.html import heading, html_table, notes

SETTING: dict[str, str] = {
    "R": "relaxed smoothness",
    "H": "unlike clients",
    "S": "only some clients come",
}
"""What a row is for, by letter."""

_RULE = "largest tau: where what falls as 1/(m tau) equals the largest of the other terms."
_ORDER = "order: the numbers that sources leave open are set to 1."


@dataclass(frozen=True)
class Row:
    """One theorem: its complexity, and the setting it is for."""

    found: Complexity

    @property
    def setting(self) -> tuple[str, ...]:
        """The letters of SETTING that apply."""
        theorem = self.found.theorem
        holds = {
            "R": theorem.assumes("relaxed-smooth"),
            "H": not theorem.assumes("alike-clients"),
            "S": theorem.assumes("partial-participation"),
        }
        return tuple(letter for letter in SETTING if holds[letter])

    @property
    def cells(self) -> dict[str, Cell]:
        """Rounds, best tau T and largest tau; what falls as 1/(m tau) stands first."""
        found = self.found
        ordered = sorted(found.parts, key=lambda part: part.label not in found.first)
        limits: list[Cell] = [Formula(ceiling.expr) for ceiling in found.ceilings]
        least = (
            sentence("the least of ", join_cells(limits[:-1]), " and ", limits[-1]) if len(limits) > 1 else ""
        )
        return {
            "T": join_cells([Formula(part.expr) for part in ordered], " + "),
            "best tau T": "-" if found.iterations is None else Formula(found.iterations),
            "largest tau": least or (limits[0] if limits else "-"),
        }

    @property
    def said(self) -> tuple[str, ...]:
        """What must be said of the row: a limit that is a condition, and how it was read."""
        found = self.found
        hidden = tuple(
            f"The limit on tau is {c.because}, which hides a second term {plain(left)}."
            for c, left in zip(found.ceilings, found.rounds_left, strict=True)
            if c.because.startswith("the condition")
        )
        return (*hidden, found.theorem.source.note)


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """Rows of one rule: the largest tau is where the first term equals the largest of the others."""

    rows: tuple[Row, ...]

    @classmethod
    def of(cls, found: Iterable[Complexity]) -> Table:
        """The rows, ordinary smoothness before relaxed, and harder settings below easier ones."""
        rows = map(Row, found)
        return cls(tuple(sorted(rows, key=lambda row: [letter in row.setting for letter in SETTING])))

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON."""
        rows = [
            {**row.found.to_dict(), "setting": list(row.setting), "said": list(row.said)} for row in self.rows
        ]
        return {"rows": rows, "settings": SETTING, "rule": _RULE}

    def __repr__(self) -> str:
        lines: list[str] = []
        for row in self.rows:
            theorem = row.found.theorem
            lines.append(f"{theorem.name} ({', '.join(row.setting)}), {theorem.kind}")
            lines += [f"  {name:<11}  {formula}" for name, formula in row.cells.items()]
            lines += [*(f"  {sentence}" for sentence in row.said), ""]
        lines.append("; ".join(f"{letter}: {meaning}" for letter, meaning in SETTING.items()))
        return "\n".join([*lines, _ORDER, _RULE])

    def _repr_html_(self) -> str:
        header = ["theorem", *self.rows[0].cells, "setting", "kind"]
        rows: list[list[Cell]] = [
            [
                row.found.theorem.name,
                *row.cells.values(),
                ", ".join(row.setting),
                row.found.theorem.kind,
            ]
            for row in self.rows
        ]
        letters = "; ".join(f"{letter}: {meaning}" for letter, meaning in SETTING.items())
        said = (f"{row.found.theorem.name}: {' '.join(row.said)}" for row in self.rows)
        below = notes(said) + notes([letters, _ORDER, _RULE])
        return heading("Rounds until a target") + html_table(header, rows) + below
