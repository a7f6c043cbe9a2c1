"""Checks of a bound as numbers, at random points at which the theorem applies."""

from __future__ import annotations

import numpy as np
from sympy import Expr, Rational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.printing import plain
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.points import Point, exact, holds, numbers
from boundkit.analysis.check.result import Found, failed, passed, skipped
from boundkit.analysis.evaluate import evaluate

AGREEMENT = 1e-12
"""How far sympy and numpy may be apart, as a share of the value."""


def agreement(setting: Setting) -> Found:
    """sympy's exact value and the compiled function agree to 1e-12, term by term and in the sum."""
    worst = 0.0
    formulas = {label: t.expr for label, t in setting.terms.items()} | {"total": setting.theorem.bound.total}
    for point in setting.points:
        for label, expr in formulas.items():
            apart = _apart(expr, point)
            if apart is None:
                return failed(f"{label}, {plain(expr)}, has no value at {_at(point)}.")
            if apart > AGREEMENT:
                return failed(f"{label}: sympy and numpy differ by {apart:.1e} of the value at {_at(point)}.")
            worst = max(worst, apart)
    return passed(f"sympy and numpy agree to {worst:.1e} at {len(setting.points)} random points.")


def signs(setting: Setting) -> Found:
    """No term is negative inside the conditions."""
    for point in setting.points:
        for label, term in setting.terms.items():
            if float(evaluate(term.expr, numbers(point))) < 0:
                return failed(f"the term {label!r}, {plain(term.expr)}, is negative at {_at(point)}.")
    return passed(f"no term is negative at {len(setting.points)} random points inside the conditions.")


def corners(setting: Setting) -> Found:
    """At the ends of the letters' domains (tau = 1, C = 1, sigma = 0) every term has a value."""
    tried = 0
    for quantity, value in _ends(setting.points[0]):
        point = {**setting.points[0], quantity: value}
        if not all(holds(c, point) for c in setting.theorem.requires):
            continue
        tried += 1
        for label, term in setting.terms.items():
            if not np.isfinite(evaluate(term.expr, numbers(point))):
                return failed(
                    f"the term {label!r}, {plain(term.expr)}, has no value at {quantity} = {value}."
                )
    return passed(f"every term has a value at {tried} ends of the letters' domains.")


def horizon(setting: Setting) -> Found:
    """The initial gap is forgotten: its term falls as T grows."""
    letter = next((ALPHABET[n] for n in ("T", "wall") if ALPHABET[n] in setting.theorem.quantities), None)
    starts = {label: t.expr for label, t in setting.terms.items() if t.cause == "initial gap"}
    if setting.theorem.kind == "lower":
        return skipped("a lower bound need not fall.")
    if letter is None or not starts:
        return skipped("it has no rounds." if letter is None else "no term is caused by the initial gap.")
    falls = False
    for point in setting.points:
        for label, expr in starts.items():
            now, later = (_value(expr, {**point, letter: k * point[letter]}) for k in (1, 2))
            if later > now * (1 + AGREEMENT):
                return failed(f"the term {label!r}, {plain(expr)}, grows with {letter} at {_at(point)}.")
            falls = falls or later < now
    if not falls:
        return failed(
            f"the initial gap is never forgotten: {plain(next(iter(starts.values())))} keeps its value."
        )
    return passed(f"the initial gap falls as {letter} grows.")


def _apart(expr: Expr, point: Point) -> float | None:
    value = exact(expr, point)
    number = float(evaluate(expr, numbers(point)))
    if not value.is_Float and not value.is_Rational:
        return None
    if not np.isfinite(number):
        return None
    scale = abs(value)
    return float(abs(value - Rational(number)) / scale) if scale else abs(number)


def _value(expr: Expr, point: Point) -> float:
    return float(evaluate(expr, numbers(point)))


def _ends(point: Point) -> list[tuple[Quantity, Rational]]:
    found = []
    for quantity in point:
        domain = quantity.domain
        if domain.includes_lower:
            found.append((quantity, Rational(domain.lower)))
        if np.isfinite(domain.upper) and domain.contains(domain.upper):
            found.append((quantity, Rational(domain.upper)))
    return found


def _at(point: Point) -> str:
    return ", ".join(f"{q} = {float(v):.4g}" for q, v in point.items())
