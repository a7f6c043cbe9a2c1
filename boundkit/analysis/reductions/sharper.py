"""Theorems of the catalogue that are sharper than a given one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Integer, sympify

from boundkit.algebra import Theorem

_TRIED = (Integer(1), Integer(2), Integer(7), Integer(1000))


def sharper_theorems(theorem: Theorem, catalogue: Iterable[Theorem]) -> list[str]:
    """Return the names of theorems with the same claim and algorithm and no larger term.

    They are recognised by a stated reduction to this theorem without conditions, with factors of at most 1.
    """
    return [
        other.name
        for other in catalogue
        if other.name != theorem.name
        and (other.claim, other.algorithm, other.kind) == (theorem.claim, theorem.algorithm, theorem.kind)
        and any(
            r.to == theorem.name and r.holds and not r.when and not r.leaves and _smaller(r.factors)
            for r in other.reductions
        )
    ]


def _smaller(factors: Mapping[str, Expr | int]) -> bool:
    """Check whether no factor exceeds 1 and one is below 1, at some values of its quantity."""
    given = [sympify(factor) for factor in factors.values()]
    if any(len(factor.free_symbols) > 1 for factor in given):
        return False
    values = [value for factor in given for value in _values(factor)]
    return bool(values) and all(v <= 1 for v in values) and any(v < 1 for v in values)


def _values(factor: Expr) -> list[Expr]:
    return [factor.subs(dict.fromkeys(factor.free_symbols, value)) for value in _TRIED]
