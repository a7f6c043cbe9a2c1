"""What ``complexity`` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Min

from boundkit.algebra import Theorem
from boundkit.algebra.formula import Formula
from boundkit.algebra.notation import tau
from boundkit.algebra.printing import plain
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, sentence
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class Part:
    """Rounds that one term asks for, or one condition; ``step`` is the largest step that it allows."""

    label: str
    expr: Expr
    because: str
    step: Expr | None = None


@dataclass(frozen=True)
class Ceiling:
    """A limit on the local steps."""

    expr: Expr
    because: str


@dataclass(frozen=True, repr=False, eq=False)
class Complexity(Reported):
    """Rounds until the bound is at the target, and the most local steps that save rounds in proportion.

    ``aim`` is the target in the unit of the claim. A theorem that bounds rounds has the sum of ``parts``; for
    any other, after the largest of them each term is at most the target. ``first`` names the terms that fall
    as 1/(m tau), ``iterations`` is tau T while they are the largest, and ``ceilings`` says up to how many
    local steps they are; nothing, None and nothing where no term falls so. ``floors`` stay whatever T is.
    Numbers that a source leaves open count as 1.
    """

    theorem: Theorem
    aim: Expr
    rules: dict[str, Expr]
    parts: tuple[Part, ...]
    floors: dict[str, Expr]
    first: tuple[str, ...]
    iterations: Expr | None
    ceilings: tuple[Ceiling, ...]
    notes: tuple[str, ...]

    @property
    def rounds(self) -> dict[str, Expr]:
        """The rounds by term; a term that asks for several has their sum."""
        found: dict[str, Expr] = {}
        for part in self.parts:
            found[part.label] = Add(found.get(part.label, 0), part.expr)
        return found

    @property
    def largest_tau(self) -> Expr | None:
        """The most local steps with linear speed-up: the least ceiling. None where there is none."""
        limits = [ceiling.expr for ceiling in self.ceilings]
        return None if not limits else limits[0] if len(limits) == 1 else Min(*limits, evaluate=False)

    @property
    def rounds_left(self) -> tuple[Expr, ...]:
        """What the leading rounds have come down to at each ceiling: fewer no local work can make them."""
        return tuple(self.iterations / c.expr for c in self.ceilings) if self.iterations is not None else ()

    @property
    def order(self) -> bool:
        """Whether only the order is known."""
        return self.theorem.order_level

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON; formulas as plain text."""
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "kind": self.theorem.kind,
            "target": plain(self.aim),
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
        said = [what] if first else [f"rounds until the {what} is ", Formula(self.aim)]
        rules = (piece for name, rule in self.rules.items() for piece in (", ", Formula(rule, name)))
        return sentence(f"{self.theorem.name}{' (order)' if self.order else ''}: ", *said, *rules)

    def _footer(self) -> list[Cell]:
        floors = [sentence(f"floor: {n} stays at ", Formula(expr)) for n, expr in self.floors.items()]
        return [*floors, *self._speed_up(), *self.notes]

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
                else ["no linear speed-up: no term falls as 1/(m tau)"]
            )
        gain = sentence(f"linear speed-up by {join_names(self.first)}: tau T = ", Formula(self.iterations))
        lines: list[Cell] = [gain]
        if not self.ceilings:
            return [*lines, "no number of local steps is too large"]
        return [
            *lines,
            *(sentence("  up to ", Formula(c.expr, "tau"), f": {c.because}") for c in self.ceilings),
        ]
