"""Complexities: rounds to a target as a formula for one theorem, and a table of several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Min

from boundkit.algebra import Theorem
from boundkit.algebra.notation import tau
from boundkit.algebra.printing import Formula, plain
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, join_cells, sentence
from boundkit.report.blocks import Block
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class TermComplexity:
    """Rounds that one term or condition needs; ``step`` is the largest step that it allows."""

    label: str
    expr: Expr
    because: str
    step: Expr | None = None


@dataclass(frozen=True)
class LocalStepLimit:
    """A limit on the local steps."""

    expr: Expr
    because: str


@dataclass(frozen=True, repr=False, eq=False)
class Complexity(Reported):
    """Rounds to a target, and the largest number of local steps with linear speed-up.

    ``goal`` is the target in the unit of the claim. A bound on rounds has the sum of ``parts``; for
    any other, after the largest of them each term is at most the target. ``first`` names the terms of order
    1/(m tau), ``iterations`` is tau T while they are the largest, and ``ceilings`` are the limits on tau
    up to which they are; empty, None and empty without such terms. ``floors`` are the error floors.
    Constants that a source leaves unspecified count as 1.
    """

    theorem: Theorem
    goal: Expr
    rules: dict[str, Expr]
    parts: tuple[TermComplexity, ...]
    floors: dict[str, Expr]
    first: tuple[str, ...]
    iterations: Expr | None
    ceilings: tuple[LocalStepLimit, ...]
    notes: tuple[str, ...]

    @property
    def rounds(self) -> dict[str, Expr]:
        """The rounds by term, summed over its parts."""
        by_term: dict[str, Expr] = {}
        for part in self.parts:
            by_term[part.label] = Add(by_term.get(part.label, 0), part.expr)
        return by_term

    @property
    def largest_tau(self) -> Expr | None:
        """The largest number of local steps with linear speed-up: the smallest ceiling. None without one."""
        limits = [ceiling.expr for ceiling in self.ceilings]
        return None if not limits else limits[0] if len(limits) == 1 else Min(*limits, evaluate=False)

    @property
    def rounds_left(self) -> tuple[Expr, ...]:
        """The leading rounds at each ceiling: the fewest that local steps can achieve."""
        return tuple(self.iterations / c.expr for c in self.ceilings) if self.iterations is not None else ()

    @property
    def order(self) -> bool:
        """Whether only the order is known."""
        return self.theorem.order_level

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; formulas as plain text."""
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "kind": self.theorem.kind,
            "target": plain(self.goal),
            "rules": {name: plain(rule) for name, rule in self.rules.items()},
            "rounds": [
                {
                    "term": p.label,
                    "plain": plain(p.expr),
                    "because": p.because,
                    "step": None if p.step is None else plain(p.step),
                }
                for p in self.parts
            ],
            "floors": {label: plain(expr) for label, expr in self.floors.items()},
            "speed_up": list(self.first),
            "iterations": None if self.iterations is None else plain(self.iterations),
            "largest_tau": [
                {"plain": plain(c.expr), "because": c.because, "rounds": plain(left)}
                for c, left in zip(self.ceilings, self.rounds_left, strict=True)
            ],
            "notes": list(self.notes),
            "up_to_constants": self.order,
        }

    def report(self) -> Report:
        """The rounds by term, and the largest number of local steps that saves rounds."""
        table = Table(["term", "rounds", ""], self._rows(), left=3)
        return Report((Heading(self._heading()), table, Sentences(self._footer())))

    def _heading(self) -> Cell:
        what = self.theorem.claim.name
        first = self.theorem.claim.summary == "first"
        title = [what] if first else [f"rounds until the {what} is at most ", Formula(self.goal)]
        rules = (piece for name, rule in self.rules.items() for piece in (", ", Formula(rule, name)))
        return sentence(f"{self.theorem.name}{' (order)' if self.order else ''}: ", *title, *rules)

    def _footer(self) -> list[Cell]:
        floors = [sentence(f"error floor: {n} stays at ", Formula(expr)) for n, expr in self.floors.items()]
        return [*floors, *self._speed_up(), *self.notes, *self._meaning_of_target()]

    def _meaning_of_target(self) -> list[Cell]:
        """What --eps is in the formulas, where they are in another quantity."""
        if self.theorem.claim.summary == "first" or str(self.goal) == "eps":
            return []
        return [
            sentence(Formula(self.goal), f" bounds the {self.theorem.claim.name}: it is the eps of --eps.")
        ]

    def _rows(self) -> list[list[Cell]]:
        return [
            [
                p.label,
                Formula(p.expr),
                p.because if p.step is None else sentence(f"{p.because}: ", Formula(p.step)),
            ]
            for p in self.parts
        ]

    def _speed_up(self) -> list[Cell]:
        if self.iterations is None:
            return (
                []
                if tau not in self.theorem.quantities
                else ["no linear speed-up: no term is of order 1/(m tau)"]
            )
        gain = sentence(f"linear speed-up by {join_names(self.first)}: tau T = ", Formula(self.iterations))
        lines: list[Cell] = [gain]
        if not self.ceilings:
            return [*lines, "for any number of local steps"]
        return [
            *lines,
            *(sentence("  up to ", Formula(c.expr, "tau"), f": {c.because}") for c in self.ceilings),
        ]


SETTING: dict[str, str] = {
    "R": "relaxed smoothness",
    "H": "heterogeneous clients",
    "S": "partial participation",
}
"""Settings of a row, by symbol."""

_RULE = "largest tau: where the terms of order 1/(m tau) equal the largest of the other terms."
_ORDER = "order: constants that sources leave unspecified are set to 1."


@dataclass(frozen=True)
class ComplexityRow:
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
class ComplexityTable(Reported):
    """Rows of complexities, with the largest tau by one rule."""

    rows: tuple[ComplexityRow, ...]

    @classmethod
    def of(cls, complexities: Iterable[Complexity]) -> ComplexityTable:
        """The table, with smoothness before relaxed smoothness and simpler settings first."""
        rows = map(ComplexityRow, complexities)
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
                Table(["", ""], cells, left=2, caption=title),
                Sentences(list(filter(None, row.remarks))),
            ]
        letters = "; ".join(f"{letter}: {meaning}" for letter, meaning in SETTING.items())
        return Report((*blocks, Sentences([letters, _ORDER, _RULE])))
