"""Finite differences: of ``predict`` at fixed steps, of the least bound at the best eta."""

from __future__ import annotations

import operator
from functools import cache

from sympy import Expr, Float, S

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import ALPHABET, C, eta, m
from boundkit.analysis.check.context import admissible
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.minimisation import minimum
from boundkit.analysis.predict import predict
from boundkit.analysis.sensitivity import Effect, Region
from boundkit.analysis.step_size import largest, limit_at
from boundkit.theorems import catalogue

Values = dict[str, float]

COMPARED = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}
NUDGE = 1e-5


@cache
def points(name: str, seeds: range = range(4)) -> tuple[Values, ...]:
    """Random points inside all conditions, with a step that admits larger quantities.

    Empty where no values satisfy the conditions of a theorem.
    """
    theorem = catalogue()[name]
    result: list[Values] = []
    for seed in seeds:
        try:
            point = admissible(theorem, seed)
        except BoundkitError:
            break
        values = {q.name: float(v) for q, v in point.items()}
        if "eta" in values:
            values["eta"] /= 1 + 3 * (seed % 3)
        if inside(theorem, values):
            result.append(values)
    return tuple(result)


def larger(theorem: Theorem, values: Values, name: str, fixed: str) -> Values | None:
    """A point with a larger quantity at which the theorem still applies; None where none is near."""
    old = values[name]
    quantity = ALPHABET[name]
    if name == "C" and "m" in values:
        tries = [old + 1 / values["m"], 2 * old]
    elif quantity.domain.whole:
        tries = [old + 1, 2 * old, 3 * old]
    else:
        tries = [old * 1.01 if old else 0.01, old + 0.01 * (quantity.domain.upper - old)]
    for new in tries:
        moved = {**values, name: new}
        if fixed:
            moved["C"] = values["C"] * old / new
        if inside(theorem, moved):
            return moved
    return None


def inside(theorem: Theorem, values: Values) -> bool:
    """Whether all conditions hold, and predict takes the values."""
    try:
        predict(theorem, **values)
    except BoundkitError:
        return False
    return all(bool(satisfied(c, values)) for c in (*theorem.step_size, *theorem.requires) if c.free_symbols)


def bound(theorem: Theorem, values: Values) -> float:
    """The bound, as predict gives it."""
    return float(predict(theorem, **values).total)


def least(theorem: Theorem, values: Values) -> float:
    """The bound at the best eta inside its condition; nan where ever larger ones are better.

    Where ever smaller ones are, that far below the limit the bound no longer changes.
    """
    at = {n: v for n, v in values.items() if n != "eta"}
    limit = float(limit_at(largest(theorem), at))
    best = minimum(theorem.terms, eta, at, limit).at
    there = {**at, "eta": best if best > 0 else 1e-6 * limit}
    if there["eta"] == float("inf"):
        return float("nan")
    return float(sum(float(evaluate(t.expr, there)) for t in theorem.terms))


def slope(theorem: Theorem, values: Values, name: str, fixed: str) -> float:
    """The derivative of the bound, to thirty digits, as a share of the sizes of its parts."""
    total: Expr = sum((t.expr for t in theorem.terms), S.Zero)
    quantity = ALPHABET[name]
    derivative = total.diff(quantity) - (total.diff(C) * C / m if fixed else 0)
    exact = {ALPHABET[n]: Float(repr(v), 40) for n, v in values.items() if n in ALPHABET}
    parts = [p.xreplace(exact).evalf(30) for p in derivative.as_ordered_terms()]
    size = sum((abs(p) for p in parts), S.Zero)
    return float(sum(parts, S.Zero) / size) if size else 0.0


def tuned_slope(theorem: Theorem, values: Values, quantity: Quantity, fixed: str) -> float:
    """The relative change of the least bound per relative change of the quantity."""
    old = values[quantity.name]
    step = NUDGE * (old if old else 1.0)
    ends = []
    for new in (old, old + step) if old <= quantity.domain.lower else (old - step, old + step):
        moved = {**values, quantity.name: new}
        if fixed:
            moved["C"] = values["C"] * old / new
        ends.append((new, least(theorem, moved)))
    (low, one), (high, other) = ends
    return (other - one) / one / ((high - low) / (old or 1.0))


def where(effect: Effect, values: Values) -> list[Region]:
    """The regions of an effect that a point lies in."""
    return [r for r in effect.regions if _met(r, values)]


def _met(region: Region, values: Values) -> bool:
    known = dict(values)
    if "C" in values and "m" in values:
        known["participants"] = values["C"] * values["m"]
    for letter, expr in region.lets:
        known[letter.name] = float(evaluate(expr, known))
    return all(
        COMPARED[relation.rel_op](float(evaluate(relation.lhs, known)), float(evaluate(relation.rhs, known)))
        for relation in (*region.where, *region.within)
    )
