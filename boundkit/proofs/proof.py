"""A proof as a list of steps, from what is measured to the bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sympy import Expr, S, Symbol, expand

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.proofs.step import Step


@dataclass(frozen=True)
class Proof:
    """The steps that lead from ``start``, the claimed quantity of one round, to the bound of ``theorem``.

    ``constants``: those that the proof makes on its way, by the theorem's letters. ``put_in``: values of
    letters that the steps know and the theorem does not, where it is a case of another. ``counted``: what
    part of ||a_i||_1 (||a_i||_1 - a_{i,-1}) the letter c_i stands for.
    """

    theorem: Theorem
    start: Quantity
    steps: tuple[Step, ...]
    constants: Mapping[Symbol, Expr] = field(default_factory=dict)
    put_in: Mapping[Symbol, Expr] = field(default_factory=dict)
    counted: Expr = S.One

    @cached_property
    def lines(self) -> tuple[Expr, ...]:
        """What stands there before each step, and at the end."""
        found = [expand(self.start)]
        for step in self.steps:
            found.append(step.after(found[-1]))
        return tuple(found)

    @property
    def missing(self) -> Expr:
        """The bound of the theorem less the end of the proof: 0 where the proof proves it."""
        return expand(expand(self.theorem.bound.total - self.end.subs(self.put_in)))

    @property
    def end(self) -> Expr:
        """The last line."""
        return self.lines[-1]

    def step(self, name: str) -> Step:
        """The step of that name. Raises BoundkitError where there is none."""
        for step in self.steps:
            if step.name == name:
                return step
        raise unknown(f"step in the proof of {self.theorem.name}", name, [step.name for step in self.steps])

    def changed(self, name: str, **changes: Any) -> Proof:
        """The same proof with another step in the place of one; the steps after it go on from there.

        Raises BoundkitError where there is no step of that name.
        """
        other = replace(self.step(name), **changes)
        return replace(self, steps=tuple(other if step.name == name else step for step in self.steps))
