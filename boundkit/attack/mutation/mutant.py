"""A wrong version of a theorem, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.attack.mutation.subexpressions import Path

KINDS: dict[str, str] = {
    "dropped": "a term left out",
    "minus one": "tau - 1 for tau, and back",
    "clients": "C m for m, and back",
    "noise": "sigma for sigma_g, and back",
    "square": "a square lost",
    "exponent": "an exponent up or down by one",
    "constant": "a constant divided by 2, 4 or 10",
    "condition": "a condition on the steps relaxed by 2 or 10",
}
"""What a mistake may be, in the order in which reports list them."""


@dataclass(frozen=True)
class Mutant:
    """A theorem with one mistake: in the term ``label``, or in the condition at ``place``.

    ``what`` says the mistake in words: "client drift: tau^2 for tau^3". A term that is left out is 0, so that
    reductions and limits still find it. ``times``: what a constant was divided by (multiplied by, in a lower
    bound), or a condition relaxed by, 1 otherwise. ``path``, ``part``: where in the term it is, and what
    stands there now.
    """

    original: Theorem
    kind: str
    what: str
    label: str = ""
    expr: Expr | None = None
    place: int = -1
    condition: Relational | None = None
    times: int = 1
    path: Path | None = None
    part: Expr | None = None

    @cached_property
    def theorem(self) -> Theorem:
        """The wrong theorem. Raises DimensionError, or BoundkitError where no theorem can say this."""
        if self.condition is not None:
            steps = list(self.original.step_size)
            steps[self.place] = self.condition
            return replace(self.original, step_size=tuple(steps))
        terms = tuple(replace(t, expr=self.expr) if t.label == self.label else t for t in self.original.terms)
        return replace(self.original, terms=terms)
