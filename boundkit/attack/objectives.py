"""Aims: what a search makes as large as it can, the bound itself and each of its terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boundkit.algebra import Theorem
from boundkit.attack.bound_ratios import Array
from boundkit.attack.evidence_batch import Pool

BOUND = "bound"
"""The name of the aim at the bound as a whole."""


@dataclass(frozen=True)
class Aim:
    """``score``: of a pool of N numbers, (N,): the larger, the worse for the theorem; nan says nothing."""

    name: str
    score: Callable[[Pool], Array]


def bound_aim(theorem: Theorem) -> Aim:
    """measured/bound; bound/measured of a lower bound. Above 1 the bound is violated."""
    return Aim(BOUND, lambda pool: pool.ratios(theorem))


def term_aim(theorem: Theorem, label: str) -> Aim:
    """How much of one term is needed: (measured - all other terms)/term. Above 1 the bound is violated."""
    return Aim(label, lambda pool: pool.shares(theorem, label))


def usual_aims(theorem: Theorem) -> Sequence[Aim]:
    """The bound, and each of its terms; the bound alone where it is a lower one, or has one term."""
    terms = theorem.bound.terms
    if theorem.kind == "lower" or len(terms) == 1:
        return (bound_aim(theorem),)
    return (bound_aim(theorem), *(term_aim(theorem, label) for label in terms))
