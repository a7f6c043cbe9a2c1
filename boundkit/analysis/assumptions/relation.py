"""Relations between assumptions: implications, counterexamples to implications, and conflicts.

An assumption stated at the server's iterates and one stated on all of space are compared at the same points:
a bound on all of space is one on the iterates; a measurement along a run must evaluate both there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sympy import Expr, Symbol, sympify

from boundkit.algebra.claim import Assumption
from boundkit.algebra.dimension import dimension_of
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import units_of
from boundkit.algebra.quantity import Quantity

Nature = Literal["supposition", "granted", "choice"]

NATURES: dict[Nature, str] = {
    "supposition": "about the problem: its losses, its noise, the availability of clients",
    "granted": "about the problem, and so mild that it is assumed by default",
    "choice": "about how the algorithm is run, and therefore free to choose",
}
"""Meaning of each nature of an assumption."""


@dataclass(frozen=True)
class Implication:
    """All of ``premises`` together imply ``conclusion`` with these ``parameters``.

    The first premise is the principal one, the others are side conditions. ``parameters`` expresses
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
        for quantity, parameter in self.parameters.items():
            value = sympify(parameter)
            dimension = dimension_of(value, units_of(value))
            if dimension not in (None, quantity.dimension):
                raise DimensionError(
                    f"{' and '.join(a.name for a in self.premises)} cannot give {quantity} = {value}: "
                    f"it has dimension {dimension}, but {quantity} has {quantity.dimension}."
                )


@dataclass(frozen=True)
class Refutation:
    """A counterexample: all of ``given`` hold and ``fails`` does not.

    ``example`` describes it. ``clients``, where there are any, are the losses of an example with
    equal weights, as functions of one real variable x; ``constants`` are those with which ``given`` holds
    for them. ``still`` states the weaker conclusion that does follow.
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
    """Assumptions on one topic, by nature, and the relations between them.

    At most one of ``exclusive`` describes a method: another one of them holds only where it is implied.
    All other choices may be refined: tau local steps may be one local step.
    """

    name: str
    suppositions: tuple[Assumption, ...] = ()
    granted: tuple[Assumption, ...] = ()
    choices: tuple[Assumption, ...] = ()
    exclusive: tuple[Assumption, ...] = ()
    implications: tuple[Implication, ...] = ()
    refutations: tuple[Refutation, ...] = ()
    conflicts: tuple[Conflict, ...] = ()

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """All assumptions of the subject."""
        return (*self.suppositions, *self.granted, *self.choices)

    def nature(self, assumption: Assumption) -> Nature:
        """The nature of the assumption."""
        if assumption in self.choices:
            return "choice"
        return "granted" if assumption in self.granted else "supposition"


x = Symbol("x", real=True)
"""The variable of the losses in examples."""
