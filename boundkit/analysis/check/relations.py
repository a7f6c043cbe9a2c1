"""Checks of limits and reductions: what is said to hold holds, and what is said not to hold does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sympy import Expr, nan, simplify, sympify, zoo

from boundkit.algebra import BoundkitError, Limit, Quantity, Reduction, Term, Theorem, dimension_of
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import units_of
from boundkit.algebra.printing import plain
from boundkit.algebra.zero_test import vanishes
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.points import admissible, numbers
from boundkit.analysis.check.result import Found, failed, passed, skipped
from boundkit.analysis.evaluate import evaluate

_TOLERANCE = 1e-9


def limits(setting: Setting) -> Found:
    """Under each stated limit exactly the named terms vanish; where it is said not to hold, they do not."""
    stated = setting.theorem.limits
    for limit in stated:
        where = _where(limit.when)
        over = limit.check(setting.terms)
        if limit.holds and over:
            return failed(
                f"at {where} not exactly {', '.join(limit.removes) or 'nothing'} vanishes; over: {over}."
            )
        if not limit.holds and not over:
            return failed(f"at {where} {', '.join(limit.removes)} vanishes, though it is said not to.")
        if not limit.holds and not limit.because:
            return failed(f"the limit {where} is said not to hold; say why.")
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'limit')}, as stated.")


def reductions(setting: Setting) -> Found:
    """Each stated reduction leaves nothing over, by sympy and by number, and those that must fail do."""
    stated = setting.theorem.reductions
    for reduction in stated:
        if reduction.to not in setting.known:
            return failed(f"it is said to become a theorem that is not there: {_unknown(reduction, setting)}")
        objection = _objection(setting, reduction, setting.known[reduction.to])
        if objection:
            return failed(objection)
    if not stated:
        return skipped("it states none.")
    return passed(f"{_count(stated, 'reduction')}, as stated.")


def _unknown(reduction: Reduction, setting: Setting) -> BoundkitError:
    return unknown("theorem", reduction.to, setting.known)


def _objection(setting: Setting, reduction: Reduction, other: Theorem) -> str | None:
    """What is wrong with one reduction; None where all is well."""
    where = f"at {_where(reduction.when)} it"
    over = reduction.check(setting.terms, other.bound.terms)
    if not reduction.holds:
        if not over:
            return f"{where} becomes {reduction.to}, though it is said not to."
        return None if reduction.because else f"{where} is said not to become {reduction.to}; say why."
    if over:
        right = _factors(reduction, over.found, setting.terms, other.bound.terms)
        return f"{where} does not become {reduction.to}; left over: {over}{right}."
    for label in {*setting.terms} & {*other.bound.terms}:
        factor = sympify(reduction.factors.get(label, 1))
        dimension = dimension_of(factor, units_of(factor))
        if dimension is not None and dimension * other.claim.dimension != setting.theorem.claim.dimension:
            return (
                f"the factor {plain(factor)} of {label!r} has dimension {dimension} and does not lead from "
                f"the {other.claim.name} to the {setting.theorem.claim.name}."
            )
    return _by_number(setting, reduction, other)


def _factors(
    reduction: Reduction, wrong: Iterable[str], ours: Mapping[str, Term], theirs: Mapping[str, Term]
) -> str:
    """Which factors would leave nothing over, of the terms that both have."""
    found = []
    for label in wrong:
        if label in ours and label in theirs and label not in reduction.leaves:
            mine, other = (
                t[label].expr.subs(dict(reduction.when), simultaneous=True) for t in (ours, theirs)
            )
            factor = simplify(mine / other) if not vanishes(mine) and not vanishes(other) else nan
            if not factor.has(nan, zoo):
                stated = plain(sympify(reduction.factors.get(label, 1)))
                found.append(f"{plain(factor)} times the {label} would be right, not {stated}")
    return f" ({'; '.join(found)})" if found else ""


def _by_number(setting: Setting, reduction: Reduction, other: Theorem) -> str | None:
    if setting.unmet:
        return None
    point = {**numbers(admissible(other, setting.seed)), **numbers(setting.points[0])}
    if any(sympify(v).is_infinite for v in reduction.when.values()):
        return None  # sympy has put infinity in; a number cannot be
    at = {q.name: float(evaluate(sympify(v), point)) for q, v in reduction.when.items()}
    point |= at
    for label, term in setting.terms.items():
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
    good = sum(one.holds for one in stated)
    text = f"{good} {what} holds" if good == 1 else f"{good} {what}s hold"
    bad = len(stated) - good
    return text + (f", and {bad} that only {'looks' if bad == 1 else 'look'} right must not" if bad else "")
