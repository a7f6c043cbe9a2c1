"""A proof as a list of steps, from the claimed quantity to the bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from sympy import Expr, S, Symbol, expand

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import SIGNS, latex, plain

Kind = Literal["inequality", "identity", "weight"]
_SIGNS: dict[Kind, tuple[str, str]] = {
    "inequality": SIGNS["upper"], "identity": SIGNS["tight"], "weight": SIGNS["upper"],
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step of a proof: it replaces ``of``, a quantity or product in the current sum, by ``by``.

    An ``inequality`` states of <= by in every round, or, ``in_mean``, in the mean over rounds only; ``by``
    takes the weight that ``of`` has in the sum. An ``identity`` states of = by. A ``weight`` states that the
    weight itself is at most ``by``, which replaces it: there a step-size condition is used. ``cause``: the
    term of the bound with the constant of this step; ``because``: the reason.
    """

    name: str
    of: Expr
    by: Expr
    cause: str
    because: str
    kind: Kind = "inequality"
    in_mean: bool = False

    def after(self, before: Expr) -> Expr:
        """Return the sum after the step."""
        left, right = self.sides(before)
        return before + expand(right - left)

    def weight(self, before: Expr) -> Expr:
        """Return the weight of ``of`` in the expanded sum; 0 where it does not occur."""
        return before.coeff(self.of)

    def sides(self, before: Expr) -> tuple[Expr, Expr]:
        """Return left and right side, with their weight in the sum."""
        weight = self.weight(before)
        return weight * self.of, self.by * (self.of if self.kind == "weight" else weight)

    def statement(self, before: Expr) -> tuple[Expr, Expr]:
        """Return left and right side without the weight, unless the weight is bounded."""
        if self.kind == "weight":
            return self.sides(before)
        return self.of, self.by

    def latex(self, before: Expr) -> str:
        """Return the statement as LaTeX."""
        return _printed(*self.statement(before), self.kind)[0]

    def plain(self, before: Expr) -> str:
        """Return the statement on one line."""
        return _printed(*self.statement(before), self.kind)[1]


@lru_cache(maxsize=1000)
def _printed(left: Expr, right: Expr, kind: Kind) -> tuple[str, str]:
    """Return the statement as LaTeX and as plain text; cached, since printing is slow."""
    signs = _SIGNS[kind]
    return f"{latex(left)} {signs[0]} {latex(right)}", f"{plain(left)} {signs[1]} {plain(right)}"


@dataclass(frozen=True)
class Proof:
    """The steps that lead from ``start``, the claimed quantity of one round, to the bound of ``theorem``.

    ``constants``: those defined by the proof, in the theorem's quantities. ``put_in``: values of quantities
    in the steps that the theorem does not have, where it is a special case. ``counted``: the part of
    ||a_i||_1 (||a_i||_1 - a_{i,-1}) that c_i denotes.
    """

    theorem: Theorem
    start: Quantity
    steps: tuple[Step, ...]
    constants: Mapping[Symbol, Expr] = field(default_factory=dict)
    put_in: Mapping[Symbol, Expr] = field(default_factory=dict)
    counted: Expr = S.One

    @cached_property
    def lines(self) -> tuple[Expr, ...]:
        """The sum before each step, and at the end."""
        result = [expand(self.start)]
        for step in self.steps:
            result.append(step.after(result[-1]))
        return tuple(result)

    @property
    def missing(self) -> Expr:
        """The bound of the theorem less the end of the proof: 0 where the proof is complete."""
        return expand(expand(self.theorem.bound.total - self.end.subs(self.put_in)))

    @property
    def end(self) -> Expr:
        """The last line."""
        return self.lines[-1]

    def step(self, name: str) -> Step:
        """Return the step of that name. Raises BoundkitError where there is none."""
        for step in self.steps:
            if step.name == name:
                return step
        raise unknown(f"step in the proof of {self.theorem.name}", name, [step.name for step in self.steps])

    def changed(self, name: str, **changes: Any) -> Proof:
        """Return the same proof with one step changed; the later steps follow from it.

        Raises BoundkitError where there is no step of that name.
        """
        other = replace(self.step(name), **changes)
        return replace(self, steps=tuple(other if step.name == name else step for step in self.steps))
