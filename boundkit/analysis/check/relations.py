"""Checks of limits and reductions: stated ones hold, and those stated as failing fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sympy import Expr, nan, simplify, sympify, zoo

from boundkit.algebra import Limit, Quantity, Reduction, Term, Theorem, dimension_of
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import units_of
from boundkit.algebra.printing import plain
from boundkit.algebra.zero_test import vanishes
from boundkit.analysis.check.context import Context, admissible, numbers
from boundkit.analysis.check.result import OutcomeWithReason, failed, passed, skipped
from boundkit.analysis.evaluate import evaluate

_TOLERANCE = 1e-9


def limits(context: Context) -> OutcomeWithReason:
    """Exactly the named terms vanish in a stated limit, and do not in one stated as failing."""
    stated = context.theorem.limits
    for limit in stated:
        where = _where(limit.when)
        difference = limit.check(context.terms)
        if limit.holds and difference:
            return failed(
                f"at {where} not exactly {', '.join(limit.removes) or 'nothing'} vanishes: {difference}."
            )
        if not limit.holds and not difference:
            return failed(f"at {where} {', '.join(limit.removes)} vanishes, but is stated not to.")
        if not limit.holds and not limit.because:
            return failed(f"the limit {where} is stated as failing; state the reason.")
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'limit')}, as stated.")


def reductions(context: Context) -> OutcomeWithReason:
    """Each stated reduction holds, symbolically and numerically; those stated as failing fail."""
    stated = context.theorem.reductions
    for reduction in stated:
        if reduction.to not in context.known:
            return failed(f"a reduction is stated to an {unknown('theorem', reduction.to, context.known)}")
        objection = _objection(context, reduction, context.known[reduction.to])
        if objection:
            return failed(objection)
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'reduction')}, as stated.")


def _objection(context: Context, reduction: Reduction, other: Theorem) -> str | None:
    """The error of one reduction; None where it is correct."""
    where = f"at {_where(reduction.when)} it"
    remainder = reduction.check(context.terms, other.bound.terms)
    if not reduction.holds:
        if not remainder:
            return f"{where} becomes {reduction.to}, but is stated not to."
        return (
            None
            if reduction.because
            else f"{where} is stated not to become {reduction.to}; state the reason."
        )
    if remainder:
        correct = _factors(reduction, remainder.differences, context.terms, other.bound.terms)
        return f"{where} does not become {reduction.to}; left over: {remainder}{correct}."
    for label in {*context.terms} & {*other.bound.terms}:
        factor = sympify(reduction.factors.get(label, 1))
        dimension = dimension_of(factor, units_of(factor))
        if dimension is not None and dimension * other.claim.dimension != context.theorem.claim.dimension:
            return (
                f"the factor {plain(factor)} of {label!r} has dimension {dimension} and does not lead from "
                f"the {other.claim.name} to the {context.theorem.claim.name}."
            )
    return _numerical_objection(context, reduction, other)


def _factors(
    reduction: Reduction, wrong: Iterable[str], ours: Mapping[str, Term], theirs: Mapping[str, Term]
) -> str:
    """The correct factors of the terms that both theorems have."""
    corrections = []
    for label in wrong:
        if label in ours and label in theirs and label not in reduction.leaves:
            mine, other = (
                t[label].expr.subs(dict(reduction.when), simultaneous=True) for t in (ours, theirs)
            )
            factor = simplify(mine / other) if not vanishes(mine) and not vanishes(other) else nan
            if not factor.has(nan, zoo):
                stated = plain(sympify(reduction.factors.get(label, 1)))
                corrections.append(f"{plain(factor)} times the {label} would be right, not {stated}")
    return f" ({'; '.join(corrections)})" if corrections else ""


def _numerical_objection(context: Context, reduction: Reduction, other: Theorem) -> str | None:
    if context.infeasibility:
        return None
    point = {**numbers(admissible(other, context.seed)), **numbers(context.points[0])}
    if any(sympify(v).is_infinite for v in reduction.when.values()):
        return None  # checked symbolically only
    at = {q.name: float(evaluate(sympify(v), point)) for q, v in reduction.when.items()}
    point |= at
    for label, term in context.terms.items():
        if label in reduction.leaves:
            continue
        factor = _number(sympify(reduction.factors.get(label, 1)), point)
        theirs = _number(other.bound.terms[label].expr, point) if label in other.bound.terms else 0.0
        ours = _number(term.expr, point)
        if not np.isclose(ours, factor * theirs, rtol=_TOLERANCE, atol=0):
            return (
                f"at {_where(reduction.when)} {label!r} is {ours:.6g} in numbers, not {factor * theirs:.6g}."
            )
    return None


def _number(expr: Expr, values: dict[str, float]) -> float:
    return float(evaluate(expr, values))


def _where(when: Mapping[Quantity, Expr | int]) -> str:
    return ", ".join(f"{q} = {plain(v)}" for q, v in when.items()) or "all values"


def _count(stated: Sequence[Limit] | Sequence[Reduction], what: str) -> str:
    holding = sum(one.holds for one in stated)
    text = f"{holding} {what} holds" if holding == 1 else f"{holding} {what}s hold"
    failing = len(stated) - holding
    return text + (f", and {failing} {'fails' if failing == 1 else 'fail'}" if failing else "")
