"""A family of theorems: the verifier's data on a group of theorems, in addition to their statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from boundkit.algebra import Assumption, BoundkitError, Term, Theorem
from boundkit.algebra.quantity import Quantity
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.instance import Instance

T = TypeVar("T")


@dataclass(frozen=True)
class AssumptionRule:
    """How a run satisfies an assumption.

    Attributes
    ----------
    objection : callable
        The reason why a run violates the assumption; "" where it satisfies it.
    arrange : callable, optional
        An instance that satisfies the assumption, made from one that may not; None where there is none.
    options : frozenset of str
        The algorithm's options that the assumption covers: with them it is the theorem's algorithm still.
    """

    objection: Callable[[Theorem, Run], str] = lambda theorem, run: ""
    arrange: Callable[[Theorem, Instance], Instance | None] | None = None
    options: frozenset[str] = frozenset()


MEASURED = AssumptionRule()
"""The rule of an assumption whose constant is computed for the run, so that it holds by construction."""


@dataclass(frozen=True)
class Sweeps:
    """The sweeps along which an order-level bound is tested.

    Attributes
    ----------
    instance : Instance
        The instance that is varied.
    values : mapping
        The values of every swept quantity, by keyword.
    vary : callable
        ``vary(instance, keyword, value)``: the instance with that quantity changed.
    """

    instance: Instance
    values: Mapping[str, Sequence[float]]
    vary: Callable[[Instance, str, float], Instance]


@dataclass(frozen=True)
class TermSweep:
    """A sweep on runs whose only error source is that of one term: ``run_at(value)`` for each value."""

    keyword: str
    values: tuple[float, ...]
    run_at: Callable[[float], Run]


@dataclass(frozen=True)
class Family:
    """The verifier's knowledge of one group of theorems.

    Membership is decided by properties of a theorem (its assumptions, algorithm, claim, kind, definitions),
    never by its name.

    Attributes
    ----------
    assumptions : mapping of Assumption to Rule
        When a run satisfies each assumption, and how an instance is made to.
    instances : callable
        The default instances of a theorem; None for theorems of other families.
    constants : mapping of Quantity to callable
        How each constant is computed for, or measured on, a run.
    observables : mapping of str to callable
        Claimed observables that are functions of recorded ones: series (R, T + 1).
    limits : mapping of str to callable
        Estimates of claimed observables in the limit of many rounds.
    round_weights : mapping of str to callable
        The weights of the rounds in a weighted mean, by algorithm: (R, T) or (T,).
    objectives : callable
        Further objectives, by prefix, that a run must record for the theorem's constants or claim.
    sweeps : callable
        The sweeps of an order-level theorem; None for theorems of other families.
    term_sweeps : callable
        The sweeps that isolate a term where exact moments cannot; None for theorems of other families.
    """

    assumptions: Mapping[Assumption, AssumptionRule] = field(default_factory=dict)
    instances: Callable[[Theorem], Sequence[Instance] | None] = lambda theorem: None
    constants: Mapping[Quantity, Callable[[EvaluationContext], Constant]] = field(default_factory=dict)
    observables: Mapping[str, Callable[[EvaluationContext], Array]] = field(default_factory=dict)
    limits: Mapping[str, Callable[[EvaluationContext], Estimate]] = field(default_factory=dict)
    round_weights: Mapping[str, Callable[[EvaluationContext], Array]] = field(default_factory=dict)
    objectives: Callable[[Theorem, Run], Mapping[str, Problem]] = lambda theorem, run: {}
    sweeps: Callable[[Theorem], Sweeps | None] = lambda theorem: None
    term_sweeps: Callable[[Theorem, Term], Sequence[TermSweep] | None] = lambda theorem, term: None


@dataclass(frozen=True)
class Families:
    """Several families, with look-ups by name.

    Raises BoundkitError where two families define the same name.
    """

    members: tuple[Family, ...]

    @cached_property
    def rules(self) -> dict[str, AssumptionRule]:
        """The rule of each assumption, by its name."""
        return _merged((a.name, rule) for family in self.members for a, rule in family.assumptions.items())

    @cached_property
    def constants(self) -> dict[str, Callable[[EvaluationContext], Constant]]:
        """The measurement of each constant, by its keyword."""
        return _merged(
            (q.name, measure) for family in self.members for q, measure in family.constants.items()
        )

    @cached_property
    def observables(self) -> dict[str, Callable[[EvaluationContext], Array]]:
        """The observables that are functions of recorded ones."""
        return _merged(pair for family in self.members for pair in family.observables.items())

    @cached_property
    def limits(self) -> dict[str, Callable[[EvaluationContext], Estimate]]:
        """The estimates of observables in the limit of many rounds."""
        return _merged(pair for family in self.members for pair in family.limits.items())

    @cached_property
    def round_weights(self) -> dict[str, Callable[[EvaluationContext], Array]]:
        """The weights of rounds, by algorithm."""
        return _merged(pair for family in self.members for pair in family.round_weights.items())

    def rules_of(self, theorem: Theorem) -> list[AssumptionRule]:
        """The rules of the theorem's assumptions, in its order; assumptions without a rule are left out."""
        return [self.rules[a.name] for a in theorem.assumptions if a.name in self.rules]

    def instances(self, theorem: Theorem) -> Sequence[Instance] | None:
        """The default instances of the first family that has some for the theorem."""
        return _first(family.instances(theorem) for family in self.members)

    def objectives(self, theorem: Theorem, run: Run) -> dict[str, Problem]:
        """The objectives that a run records for the theorem, by prefix; the run's own take precedence."""
        merged: dict[str, Problem] = {}
        for family in self.members:
            merged |= family.objectives(theorem, run)
        return {**merged, **run.objectives}

    def sweeps(self, theorem: Theorem) -> Sweeps | None:
        """The sweeps of the first family that has some for the theorem."""
        return _first(family.sweeps(theorem) for family in self.members)

    def term_sweeps(self, theorem: Theorem, term: Term) -> Sequence[TermSweep] | None:
        """The sweeps that isolate a term, of the first family that has some."""
        return _first(family.term_sweeps(theorem, term) for family in self.members)


def _first(results: Iterable[T | None]) -> T | None:
    return next((result for result in results if result is not None), None)


def _merged(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name, value in pairs:
        if name in merged:
            raise BoundkitError(f"two families define {name!r}.")
        merged[name] = value
    return merged
