"""What a theorem of the catalogue is asked with, whoever its clients are."""

from __future__ import annotations

from typing import Any

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.notation import eta
from boundkit.algebra.quantity import Vector
from boundkit.analysis.client_values import homogeneous_form
from boundkit.theorems import catalogue


def usual(theorem: Theorem, **given: object) -> dict[str, Any]:
    """The given values that the theorem knows, and typical ones for what it will not guess."""
    parts = [theorem.definitions, *theorem.solvers.values()]
    inside = {s for part in parts for e in part.values() for s in e.free_symbols if isinstance(s, Vector)}
    scalars = {v.alike for v in inside if isinstance(v.alike, Quantity) and v.alike.dimension == ONE}
    known = {q.name for q in homogeneous_form(theorem).quantities}
    typical = {q.name: q.typical for q in scalars if q.name in known}
    return typical | {name: value for name, value in given.items() if name in known}


def with_step() -> list[str]:
    """The theorems that have a client's step to choose."""
    return [name for name, statement in catalogue().items() if eta in statement.quantities]
