"""Objectives of the search: the ratio of the bound, and the necessary share of each term."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Array, EvidencePool

BOUND = "bound"
"""Name of the objective for the bound as a whole."""


@dataclass(frozen=True)
class Objective:
    """A function to maximise: ``score`` of a pool of N numbers is (N,); nan where it is undefined."""

    name: str
    score: Callable[[EvidencePool], Array]


def bound_objective(theorem: Theorem) -> Objective:
    """Return measured/bound (bound/measured of a lower bound); above 1 the bound is violated."""
    return Objective(BOUND, lambda pool: pool.ratios(theorem))


def term_objective(theorem: Theorem, label: str) -> Objective:
    """Return the necessary share of one term; above 1 the bound is violated."""
    return Objective(label, lambda pool: pool.shares(theorem, label))


def default_objectives(theorem: Theorem) -> Sequence[Objective]:
    """Return the objectives of the bound and of each term; the bound alone where it is a lower one."""
    terms = theorem.bound.terms
    if theorem.kind == "lower" or len(terms) == 1:
        return (bound_objective(theorem),)
    return (bound_objective(theorem), *(term_objective(theorem, label) for label in terms))
