"""Instances of other theorems that are the same bound, with other definitions of what is in it.

FedNova's second theorem speaks of any weights; FedNova itself weighs as the objective does, so that its own
runs never show what other weights cost. FedAvg with unequal work does.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundkit.algebra import Theorem
from boundkit.theorems import catalogue


def same(theorem: Theorem) -> Iterator[Theorem]:
    """Theorems of the catalogue that are said to become this one as they stand, and do.

    >>> from boundkit.theorems import theorem
    >>> [other.name for other in same(theorem("fednova_nonconvex"))]
    ['fedavg_nonconvex_unequal_steps']
    """
    for other in catalogue().values():
        said = any(
            r.to == theorem.name and r.holds and not (r.when or r.factors or r.leaves)
            for r in other.reductions
        )
        if said and other.name != theorem.name and _alike(other, theorem):
            yield other


def _alike(one: Theorem, other: Theorem) -> bool:
    """Whether claim, conditions and terms are the same: no value of one is then outside the other."""
    return (
        one.claim == other.claim
        and one.kind == other.kind
        and set(one.quantities) == set(other.quantities)
        and set(one.step_size) == set(other.step_size)
        and set(one.requires) == set(other.requires)
        and {t.label: t.expr for t in one.terms} == {t.label: t.expr for t in other.terms}
    )
