"""Context of the checks: the theorem, other theorems, and random points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.analysis.check.points import Point, admissible

POINTS = 4
"""Random points at which formulas are compared as numbers."""


@dataclass(frozen=True)
class Context:
    """A theorem, the theorems that it may refer to, and random points at which it applies."""

    theorem: Theorem
    known: Mapping[str, Theorem] = field(default_factory=dict)
    seed: int = 0

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Points that satisfy the conditions. Raises BoundkitError where none is found."""
        return tuple(admissible(self.theorem, self.seed + k) for k in range(POINTS))

    @cached_property
    def infeasibility(self) -> str:
        """The reason why no values satisfy the conditions; empty where some do."""
        try:
            self.points  # noqa: B018
        except BoundkitError as error:
            return str(error)
        return ""

    @property
    def terms(self) -> Mapping[str, Term]:
        """The terms by label."""
        return self.theorem.bound.terms

    @property
    def conditions(self) -> tuple[Relational, ...]:
        """All conditions, those on the steps first."""
        return (*self.theorem.step_size, *self.theorem.requires)

    @property
    def formulas(self) -> tuple[Expr | Relational, ...]:
        """Every formula of the statement."""
        return (*(term.expr for term in self.theorem.terms), *self.conditions)
