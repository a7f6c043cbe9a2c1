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
from boundkit.algebra.domain import NONNEGATIVE, POSITIVE


def letter_for(name: str, expr: Expr, dimension: Dimension = ONE) -> Quantity:
    """Return a letter for a root or a maximum, which are >= 0, or for a minimum, which is > 0."""
    domain = POSITIVE if isinstance(expr, Min) else NONNEGATIVE
    return Quantity(name, name, f"short for {expr}", domain, dimension, 1)


@cache
def _relations(letter: Quantity, expr: Expr) -> tuple[Relational, ...]:
    """Return what holds of the letter. Raises BoundkitError where it may not be what it stands for."""
    if isinstance(expr, Pow) and expr.exp == Rational(1, 2) and letter.domain == NONNEGATIVE:
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
