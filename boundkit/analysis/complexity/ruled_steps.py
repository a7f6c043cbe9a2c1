"""Rounds where rules set the steps, or there is none: each term, and each condition, solved for T."""

from __future__ import annotations

from sympy import Expr

from boundkit.algebra.notation import T
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import Part
from boundkit.analysis.complexity.term_factors import at_most, bare, forgetting, shares, unsolved
from boundkit.analysis.crossover_formula import equal_at
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.rate import Rate, RateCondition

Answer = tuple[tuple[Part, ...], dict[str, Expr], list[str]]


def by_rule(under: Rate, aim: Expr) -> Answer:
    """The rounds after which each term alone is at most the target; what does not fall is a floor.

    Raises BoundkitError for a term that grows with T, or that has no closed form.
    """
    parts: list[Part] = []
    floors: dict[str, Expr] = {}
    for term in under.terms.values():
        for power, rounds in _solved(term.label, term.expr, aim):
            if power:
                parts.append(Part(term.label, rounds, "where it is the target"))
            else:
                floors[term.label] = floors.get(term.label, 0) + rounds
    notes = [f"after the largest of these {shares(len(parts))}"]
    for condition in under.conditions:
        needed = _needed(condition)
        if needed is not None:
            parts.append(Part("condition on T", needed, f"from where {plain(condition.condition)} holds"))
        elif T in condition.under_rules.free_symbols:
            notes.append(f"the rounds must also meet {plain(condition.under_rules)}.")
    return tuple(parts), floors, notes


def _solved(label: str, expr: Expr, aim: Expr) -> list[tuple[bool, Expr]]:
    """For each part of a term: whether it falls, and its rounds, or its value where it does not."""
    bound = at_most(expr)
    if bound == 0:
        return []
    forgotten = forgetting(bound, aim)
    if forgotten is not None:
        amount, rate = forgotten
        if T in rate.free_symbols:
            raise unsolved(label, expr)
        return [(True, bare(amount / rate))]
    found = powers(bound, T)
    if found is not None and all(power <= 0 for power in found):
        return [
            (power < 0, bare((c / aim) ** (-1 / power)) if power < 0 else c)
            for power, c in found.items()
            if c != 0
        ]
    roots = equal_at(expr, aim, T) if found is None else None
    if not roots:
        raise unsolved(label, expr)
    return [(True, roots[0])]


def _needed(condition: RateCondition) -> Expr | None:
    """From which T on a condition holds, where it is a monomial in T."""
    under = condition.under_rules
    small, large = (under.lhs, under.rhs) if "<" in under.rel_op else (under.rhs, under.lhs)
    found = monomial(small / large, T)
    if found is None or found[1] >= 0 or T in found[0].free_symbols:
        return None
    return found[0] ** (-1 / found[1])
