"""Checks of the formulas of a theorem: units, conditions, numerical values, and derived quantities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np
from sympy import Expr, Rational

from boundkit.algebra import BoundkitError, Dimension, DimensionError, Quantity, Theorem, dimension_of
from boundkit.algebra.dimension import check_relation
from boundkit.algebra.notation import ALPHABET, eta, units_of
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Vector
from boundkit.analysis.check.context import (
    CheckContext,
    OutcomeWithReason,
    Point,
    condition_holds,
    exact,
    failed,
    numbers,
    passed,
    skipped,
)
from boundkit.analysis.client_values import homogeneous_form, substitute_clients
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import largest, limit_at

UNITS: Mapping[str, float] = {f.name: (3.0, 0.4, 7.0, 5.0)[i] for i, f in enumerate(fields(Dimension))}
"""Factor by which each unit is changed."""

_UNIT_TOLERANCE = 1e-9


def dimensions(context: CheckContext) -> OutcomeWithReason:
    """Every term has the dimension of the claim, and the sides of every condition have one dimension."""
    theorem, units = context.theorem, units_of(*context.formulas)
    try:
        for term in theorem.terms:
            dimension = dimension_of(term.expr, units)
            if dimension not in (None, theorem.claim.dimension):
                return failed(
                    f"the term {term.label!r}, {plain(term.expr)}, has dimension {dimension}, but the "
                    f"{theorem.claim.name} has {theorem.claim.dimension}."
                )
        for condition in context.conditions:
            check_relation(condition, units)
    except DimensionError as error:
        return failed(str(error))
    return passed(f"every term is {theorem.claim.dimension}, as the {theorem.claim.name} is.")


def scale(context: CheckContext) -> OutcomeWithReason:
    """The bound and its conditions are invariant under F -> a F, x -> b x (and seconds -> c seconds)."""
    factor = _factor(context.theorem.claim.dimension)
    for point in context.points:
        before, after = numbers(point), rescaled(point)
        for term in context.theorem.terms:
            expected, value = factor * _value(term.expr, before), _value(term.expr, after)
            if not np.isclose(value, expected, rtol=_UNIT_TOLERANCE, atol=0):
                return failed(
                    f"in other units the term {term.label!r} changes by {value / expected:.3g} times as much "
                    f"as the {context.theorem.claim.name} does."
                )
        for condition in context.conditions:
            (left, right), (new_left, new_right) = (
                [float(evaluate(side, values)) for side in condition.args] for values in (before, after)
            )
            if not np.isclose(new_left * right, new_right * left, rtol=_UNIT_TOLERANCE, atol=0):
                return failed(f"in other units {plain(condition)} allows other values.")
    changes = ", ".join(f"{name} times {by:g}" for name, by in UNITS.items())
    return passed(f"terms and conditions follow a change of units ({changes}) at random points.")


def rescaled(point: Mapping[Quantity, object]) -> dict[str, float]:
    """The same point in other units."""
    return {q.name: float(value) * _factor(q.dimension) for q, value in point.items()}  # type: ignore[arg-type]


def _factor(dimension: Dimension) -> float:
    return float(np.prod([by ** float(getattr(dimension, name)) for name, by in UNITS.items()]))


_INSIDE, _OUTSIDE = 1 - 1e-9, 1 + 1e-6


def conditions(context: CheckContext) -> OutcomeWithReason:
    """There are values that satisfy every condition."""
    if not context.conditions:
        return skipped("it states no condition.")
    if context.infeasibility:
        return failed(context.infeasibility)
    return passed(f"{len(context.points)} random points satisfy all {len(context.conditions)} conditions.")


def largest_step(context: CheckContext) -> OutcomeWithReason:
    """The conditions can be solved for the largest eta: it satisfies them, and a larger one does not."""
    theorem = context.theorem
    if not any(eta in c.free_symbols for c in theorem.step_size):
        return skipped("no condition limits eta.")
    try:
        limit = largest(theorem)
    except (BoundkitError, NotImplementedError) as error:
        return failed(f"the conditions cannot be solved for eta: {error}")
    for point in context.points:
        values = numbers(point)
        step = float(limit_at(limit, values))
        if not np.isfinite(step):
            continue
        for factor, expected in ((_INSIDE, True), (_OUTSIDE, False)):
            holding = all(bool(satisfied(c, {**values, "eta": factor * step})) for c in theorem.step_size)
            if holding != expected:
                problem = "violates" if expected else "is not the largest that satisfies"
                return failed(f"eta = {plain(limit)} {problem} the conditions at random values.")
    return passed(f"the largest eta is {plain(limit)}.")


AGREEMENT = 1e-12
"""Largest relative difference of sympy and numpy."""


def agreement(context: CheckContext) -> OutcomeWithReason:
    """The exact value by sympy and the compiled function agree to 1e-12, term by term and in the sum."""
    worst = 0.0
    formulas = {label: t.expr for label, t in context.terms.items()} | {"total": context.theorem.bound.total}
    for point in context.points:
        for label, expr in formulas.items():
            difference = _relative_difference(expr, point)
            if difference is None:
                return failed(f"{label}, {plain(expr)}, has no value at {_point(point)}.")
            if difference > AGREEMENT:
                return failed(
                    f"{label}: sympy and numpy differ by {difference:.1e} of the value at {_point(point)}."
                )
            worst = max(worst, difference)
    return passed(f"sympy and numpy agree to {worst:.1e} at {len(context.points)} random points.")


def signs(context: CheckContext) -> OutcomeWithReason:
    """No term is negative where the conditions hold."""
    for point in context.points:
        for label, term in context.terms.items():
            if _value(term.expr, numbers(point)) < 0:
                return failed(f"the term {label!r}, {plain(term.expr)}, is negative at {_point(point)}.")
    return passed(f"no term is negative at {len(context.points)} random points that satisfy the conditions.")


def corners(context: CheckContext) -> OutcomeWithReason:
    """At the ends of the quantities' domains (tau = 1, C = 1, sigma = 0) every term has a value."""
    evaluated = 0
    for quantity, value in _ends(context.points[0]):
        point = {**context.points[0], quantity: value}
        if not all(condition_holds(c, point) for c in context.theorem.requires):
            continue
        evaluated += 1
        for label, term in context.terms.items():
            if not np.isfinite(evaluate(term.expr, numbers(point))):
                return failed(
                    f"the term {label!r}, {plain(term.expr)}, has no value at {quantity} = {value}."
                )
    return passed(f"every term has a value at {evaluated} ends of the quantities' domains.")


def horizon(context: CheckContext) -> OutcomeWithReason:
    """The term of the initial gap decreases with the rounds T."""
    rounds = next((ALPHABET[n] for n in ("T", "wall") if ALPHABET[n] in context.theorem.quantities), None)
    initial = {label: t.expr for label, t in context.terms.items() if t.cause == "initial gap"}
    if context.theorem.kind == "lower":
        return skipped("a lower bound need not decrease.")
    if rounds is None or not initial:
        return skipped("it has no rounds." if rounds is None else "no term is caused by the initial gap.")
    decreases = False
    for point in context.points:
        for label, expr in initial.items():
            now, later = (_value(expr, numbers({**point, rounds: k * point[rounds]})) for k in (1, 2))
            if later > now * (1 + AGREEMENT):
                return failed(f"the term {label!r}, {plain(expr)}, grows with {rounds} at {_point(point)}.")
            decreases = decreases or later < now
    if not decreases:
        return failed(
            f"the initial gap never decreases: {plain(next(iter(initial.values())))} is constant in {rounds}."
        )
    return passed(f"the initial gap decreases with {rounds}.")


def _relative_difference(expr: Expr, point: Point) -> float | None:
    value = exact(expr, point)
    number = _value(expr, numbers(point))
    if not value.is_Float and not value.is_Rational:
        return None
    if not np.isfinite(number):
        return None
    scale = abs(value)
    return float(abs(value - Rational(number)) / scale) if scale else abs(number)


def _value(expr: Expr, values: Mapping[str, float]) -> float:
    return float(evaluate(expr, values))


def _ends(point: Point) -> list[tuple[Quantity, Rational]]:
    ends = []
    for quantity in point:
        domain = quantity.domain
        if domain.includes_lower:
            ends.append((quantity, Rational(domain.lower)))
        if np.isfinite(domain.upper) and domain.contains(domain.upper):
            ends.append((quantity, Rational(domain.upper)))
    return ends


def _point(point: Point) -> str:
    return ", ".join(f"{q} = {float(v):.4g}" for q, v in point.items())


CLIENTS, STEPS = 3, 4
_SUM_TOLERANCE = 1e-12


def definitions(context: CheckContext) -> OutcomeWithReason:
    """Derived quantities, summed over homogeneous clients, equal their formulas for homogeneous clients."""
    theorem = context.theorem
    if not theorem.definitions and not theorem.solvers:
        return skipped("no quantity is derived from the clients.")
    typical = {q.name: q.typical for q in theorem.quantities} | numbers(context.points[0])
    compared = 0
    for solver in theorem.solvers or (None,):
        scalar = homogeneous_form(theorem, solver).definitions
        every = (
            *scalar.values(),
            *_defined(theorem, solver).values(),
        )  # a quantity may cancel for homogeneous clients
        quantities = {s for expr in every for s in expr.free_symbols if not isinstance(s, Vector)}
        values = (
            {s.name: s.typical for s in quantities}
            | typical
            | {"m": CLIENTS, "tau": STEPS, "availability": 0.5}
        )
        given = {v.name: [float(evaluate(v.alike, values))] * CLIENTS for v in _vectors(theorem, solver)}
        chosen: dict[str, object] = {} if solver is None else {"solver": solver}
        written, left = substitute_clients(theorem, {**chosen, **given})
        known = {**values, **{name: value for name, value in left.items() if isinstance(value, float)}}
        for quantity in (q for q in theorem.quantities if q in _defined(theorem, solver)):
            short = float(evaluate(scalar.get(quantity, quantity), values))
            long = float(evaluate(written.definitions.get(quantity, quantity), known))
            compared += 1
            if abs(short - long) > _SUM_TOLERANCE * max(abs(short), 1):
                by = f" (solver {solver})" if solver else ""
                return failed(
                    f"{quantity}{by} is {long:.6g} summed over homogeneous clients, {short:.6g} by formula."
                )
    return passed(f"{compared} derived quantities agree with sums over {CLIENTS} homogeneous clients.")


def _vectors(theorem: Theorem, solver: str | None) -> set[Vector]:
    """The vectors that the definitions use and do not define."""
    defined = _defined(theorem, solver)
    used = {s for expr in defined.values() for s in expr.free_symbols if isinstance(s, Vector)}
    return used - set(defined)


def _defined(theorem: Theorem, solver: str | None) -> dict[Quantity, Expr]:
    return {**theorem.definitions, **(theorem.solvers[solver] if solver else {})}
