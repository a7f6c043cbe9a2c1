"""Table of the complexities of several theorems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from boundkit.algebra.formula import Formula
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import Complexity
from boundkit.report import Cell, Heading, Report, Reported, Sentences, join_cells, sentence
from boundkit.report import Table as TableBlock
from boundkit.report.blocks import Block

SETTING: dict[str, str] = {
    "R": "relaxed smoothness",
    "H": "heterogeneous clients",
    "S": "partial participation",
}
"""Settings of a row, by letter."""

_RULE = "largest tau: where the terms of order 1/(m tau) equal the largest of the other terms."
_ORDER = "order: constants that sources leave unspecified are set to 1."


@dataclass(frozen=True)
class Row:
    """The complexity of one theorem, and its setting."""

    complexity: Complexity

    @property
    def setting(self) -> tuple[str, ...]:
        """The keys of SETTING that apply."""
        theorem = self.complexity.theorem
        holds = {
            "R": theorem.assumes("relaxed-smooth"),
            "H": not theorem.assumes("alike-clients"),
            "S": theorem.assumes("partial-participation"),
        }
        return tuple(letter for letter in SETTING if holds[letter])

    @property
    def cells(self) -> dict[str, Cell]:
        """Rounds, best tau T and largest tau; terms of order 1/(m tau) come first."""
        result = self.complexity
        ordered = sorted(result.parts, key=lambda part: part.label not in result.first)
        limits: list[Cell] = [Formula(ceiling.expr) for ceiling in result.ceilings]
        least = (
            sentence("the least of ", join_cells(limits[:-1]), " and ", limits[-1]) if len(limits) > 1 else ""
        )
        return {
            "T": join_cells([Formula(part.expr) for part in ordered], " + "),
            "best tau T": "-" if result.iterations is None else Formula(result.iterations),
            "largest tau": least or (limits[0] if limits else "-"),
        }

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the row: limits that are conditions, and the note of the source."""
        result = self.complexity
        hidden = tuple(
            f"The limit on tau is {c.because}, which hides a second term {plain(left)}."
            for c, left in zip(result.ceilings, result.rounds_left, strict=True)
            if c.because.startswith("the condition")
        )
        return (*hidden, result.theorem.source.note)


@dataclass(frozen=True, repr=False, eq=False)
class Table(Reported):
    """Rows of complexities, with the largest tau by one rule."""

    rows: tuple[Row, ...]

    @classmethod
    def of(cls, complexities: Iterable[Complexity]) -> Table:
        """The table, with smoothness before relaxed smoothness and simpler settings first."""
        rows = map(Row, complexities)
        return cls(tuple(sorted(rows, key=lambda row: [letter in row.setting for letter in SETTING])))

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON values."""
        rows = [
            {**row.complexity.to_dict(), "setting": list(row.setting), "said": list(row.remarks)}
            for row in self.rows
        ]
        return {"rows": rows, "settings": SETTING, "rule": _RULE}

    def report(self) -> Report:
        """The complexity of each theorem with its remarks, and the meaning of the settings."""
        blocks: list[Block] = [Heading("Rounds until a target")]
        for row in self.rows:
            theorem = row.complexity.theorem
            title = f"{theorem.name} ({', '.join(row.setting)}), {theorem.kind}"
            cells: list[list[Cell]] = [[name, formula] for name, formula in row.cells.items()]
            blocks += [
                TableBlock(["", ""], cells, left=2, caption=title),
                Sentences(list(filter(None, row.remarks))),
            ]
        letters = "; ".join(f"{letter}: {meaning}" for letter, meaning in SETTING.items())
        return Report((*blocks, Sentences([letters, _ORDER, _RULE])))
