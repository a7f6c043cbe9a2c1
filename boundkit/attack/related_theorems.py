"""What else is known of a theorem that was attacked: a sharper one, and terms that no finite run shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Integer, sympify

from boundkit.algebra import Theorem
from boundkit.attack.infinite_clients import reaches

INFINITE = "shown by infinitely many clients only: see boundkit figure atlas"
_TRIED = (Integer(1), Integer(2), Integer(7), Integer(1000))


def sharper(theorem: Theorem, known: Iterable[Theorem]) -> list[str]:
    """The names of theorems with the same claim and algorithm, no term of which is larger than here.

    A stated reduction to this theorem without a restriction says so, each of its factors at most 1.
    """
    return [
        other.name
        for other in known
        if other.name != theorem.name
        and (other.claim, other.algorithm, other.kind) == (theorem.claim, theorem.algorithm, theorem.kind)
        and any(
            r.to == theorem.name and r.holds and not r.when and not r.leaves and _smaller(r.factors)
            for r in other.reductions
        )
    ]


def shown_elsewhere(theorem: Theorem, needs: Mapping[str, float]) -> dict[str, str]:
    """By term that no instance of the search needed: where it is shown all the same."""
    if needs.get("noise drift", 1.0) > 0 or not reaches(theorem):
        return {}
    return {"noise drift": INFINITE}


def _smaller(factors: Mapping[str, Expr | int]) -> bool:
    """Whether no factor is above 1, and one is below: at some values of its one letter, where it has one."""
    given = [sympify(factor) for factor in factors.values()]
    if any(len(factor.free_symbols) > 1 for factor in given):
        return False
    values = [value for factor in given for value in _values(factor)]
    return bool(values) and all(v <= 1 for v in values) and any(v < 1 for v in values)


def _values(factor: Expr) -> list[Expr]:
    return [factor.subs(dict.fromkeys(factor.free_symbols, value)) for value in _TRIED]
