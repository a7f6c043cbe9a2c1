"""How assumptions relate: one implies another, does not, or cannot stand beside it.

What is stated at the server's iterates and what is stated everywhere are compared at the same points:
a bound on all of space is one on the iterates, and who measures along a run must measure both there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sympy import Expr, Symbol, sympify

from boundkit.algebra.assumption import Assumption
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import units_of
from boundkit.algebra.quantity import Quantity

Nature = Literal["supposition", "granted", "choice"]

NATURES: dict[Nature, str] = {
    "supposition": "about the world: the problem, its noise, who can come",
    "granted": "about the world, and so mild that it is taken for granted unless it is denied",
    "choice": "about how the algorithm is run, so whoever runs it may choose it",
}
"""What an assumption is about."""


@dataclass(frozen=True)
class Implication:
    """Where all of ``premises`` hold, ``conclusion`` holds, with these ``parameters``.

    The first premise is the one that does the work, the others keep it company. ``parameters`` gives
    the quantities of the conclusion in those of the premises; constants must not grow with the number
    of clients. Raises DimensionError for a parameter with another dimension than its quantity.
    """

    premises: tuple[Assumption, ...]
    conclusion: Assumption
    proof: str
    parameters: Mapping[Quantity, Expr | int] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.conclusion in self.premises or not self.premises:
            raise BoundkitError(f"{self.conclusion.name} needs premises other than itself.")
        for quantity, given in self.parameters.items():
            value = sympify(given)
            dimension = dimension_of(value, units_of(value))
            if dimension not in (None, quantity.dimension):
                raise DimensionError(
                    f"{' and '.join(a.name for a in self.premises)} cannot give {quantity} = {value}: "
                    f"it has dimension {dimension}, but {quantity} has {quantity.dimension}."
                )


@dataclass(frozen=True)
class Refutation:
    """All of ``given`` may hold while ``fails`` does not; people often think otherwise.

    ``example`` says it in words. ``clients``, where there are any, are the losses of an example with
    equal weights, in the letter x of one dimension; ``constants`` are those with which ``given`` holds
    for them. ``still`` says what does follow.
    """

    given: tuple[Assumption, ...]
    fails: Assumption
    example: str
    because: str
    clients: tuple[Expr, ...] = ()
    constants: Mapping[Quantity, Expr | int] = field(default_factory=dict, hash=False)
    still: str = ""


@dataclass(frozen=True)
class Conflict:
    """``assumptions`` cannot hold together on all of space."""

    assumptions: tuple[Assumption, ...]
    proof: str
    still: str = ""


@dataclass(frozen=True)
class Subject:
    """Assumptions on one thing, by nature, and what is known of them.

    ``laws`` exclude each other in practice: who has named one of them has said what happens, and may
    not choose another, unless it follows. The other choices may be refined: who takes tau steps may
    take one.
    """

    name: str
    suppositions: tuple[Assumption, ...] = ()
    granted: tuple[Assumption, ...] = ()
    choices: tuple[Assumption, ...] = ()
    laws: tuple[Assumption, ...] = ()
    implications: tuple[Implication, ...] = ()
    refutations: tuple[Refutation, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """All of them."""
        return (*self.suppositions, *self.granted, *self.choices)

    def nature(self, assumption: Assumption) -> Nature:
        """What the assumption is about."""
        if assumption in self.choices:
            return "choice"
        return "granted" if assumption in self.granted else "supposition"


x = Symbol("x", real=True)
"""The letter of the losses in examples."""
