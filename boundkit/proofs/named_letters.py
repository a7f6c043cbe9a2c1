"""Letters for the roots, minima and maxima of a statement, so that it is made of rational functions.

A letter q for sqrt(E) is >= 0 and has q^2 = E; one for a minimum is at most, one for a maximum at least every
argument. These relations are all that a proof knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from sympy import Expr, Ge, Le, Max, Min, Pow, Rational
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Dimension, Quantity, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import BELOW_ONE, NONNEGATIVE, POSITIVE


def letter_for(name: str, expr: Expr, dimension: Dimension = ONE) -> Quantity:
    """Return a letter for a root or a maximum, which are >= 0, or for a minimum, which is > 0.

    The root of a quantity that is at least 0 and below 1 is so, too.
    """
    domain = POSITIVE if isinstance(expr, Min) else NONNEGATIVE
    domain = BELOW_ONE if _is_root_below_one(expr) else domain
    return Quantity(name, name, f"short for {expr}", domain, dimension, 1)


def _is_root_below_one(expr: Expr) -> bool:
    if not isinstance(expr, Pow) or expr.exp != Rational(1, 2):
        return False
    return isinstance(expr.base, Quantity) and expr.base.domain == BELOW_ONE


@cache
def _relations(letter: Quantity, expr: Expr) -> tuple[Relational, ...]:
    """Return what holds of the letter. Raises BoundkitError where it may not be what it stands for."""
    root = isinstance(expr, Pow) and expr.exp == Rational(1, 2)
    if root and (letter.domain == NONNEGATIVE or (letter.domain == BELOW_ONE and _is_root_below_one(expr))):
        return (Le(letter**2, expr.base, evaluate=False), Ge(letter**2, expr.base, evaluate=False))
    if isinstance(expr, Min) and letter.domain == POSITIVE:
        return tuple(Le(letter, each, evaluate=False) for each in expr.args)
    if (
        isinstance(expr, Max)
        and letter.domain == NONNEGATIVE
        and any(each.is_nonnegative for each in expr.args)
    ):
        return tuple(Ge(letter, each, evaluate=False) for each in expr.args)
    raise BoundkitError(
        f"the letter {letter}, {letter.domain}, stands for {expr}: letters >= 0 stand for square roots and "
        f"for maxima of something >= 0, letters > 0 for minima."
    )


def positive_parts(names: Mapping[Quantity, Expr]) -> Iterator[Expr]:
    """Yield what must be > 0 for the letters of minima to be."""
    for expr in names.values():
        if isinstance(expr, Min):
            yield from expr.args


@cache
def _named(theorem: Theorem, names: tuple[tuple[Quantity, Expr], ...]) -> Theorem:
    table = {expr: letter for letter, expr in names}
    relations = [each for letter, expr in names for each in _relations(letter, expr)]
    return replace(
        theorem,
        terms=tuple(replace(each, expr=each.expr.subs(table)) for each in theorem.terms),
        step_size=tuple(each.subs(table) for each in theorem.step_size),
        requires=(*(each.subs(table) for each in theorem.requires), *relations),
        reductions=(),
        limits=(),
    )


def named(theorem: Theorem, names: Mapping[Quantity, Expr]) -> Theorem:
    """Return the theorem with letters for expressions, and with what is known of them as requirements."""
    return _named(theorem, tuple(names.items())) if names else theorem
