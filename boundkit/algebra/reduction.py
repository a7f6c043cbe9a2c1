"""Reductions between theorems, and the terms that vanish in a limit.

Both are claims about formulas, and sympy checks them. Where a reduction leaves something over, it is
named: a constant that is larger by a factor, or a term that the other theorem does not have. Some
reductions look right and are not; they are stored with ``holds=False``, and the check must fail on them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sympy import Expr, Rational, S, Symbol, expand, nan, simplify, sympify, zoo

from boundkit.algebra.dimension import dimension_of, lost_unit
from boundkit.algebra.errors import BoundkitError, DimensionError
from boundkit.algebra.notation import units_of
from boundkit.algebra.quantity import Quantity
from boundkit.algebra.term import Term

_NOTICEABLE = 1e-10


def vanishes(expr: Expr) -> bool:
    """Whether the expression is 0 for all values of its symbols.

    A non-zero value at one point decides, at a hundredth of the cost of simplification.

    >>> from boundkit.algebra.notation import C, m
    >>> vanishes((1 - C) / C - 1 / C + 1), vanishes(1 - C), vanishes((C * m - m) / m + 1 - C)
    (True, False, True)
    """
    if expr.is_zero:
        return True
    value = _magnitude_at_a_point(expr)
    if value is not None and value > _NOTICEABLE:
        return False
    return bool(expand(expr) == 0 or simplify(expr) == 0)


def _magnitude_at_a_point(expr: Expr) -> float | None:
    """The absolute value at one point, the same every time; None where there is none."""
    rng = random.Random(0)
    point = {symbol: _value(symbol, rng) for symbol in sorted(expr.free_symbols, key=str)}
    value = abs(expr.xreplace(point).evalf(30))
    return float(value) if value.is_Float or value.is_Rational else None


def _value(symbol: Symbol, rng: random.Random) -> Rational:
    """A value in the domain of a quantity, away from its ends."""
    if isinstance(symbol, Quantity) and symbol.domain.whole:
        return Rational(int(symbol.domain.lower) + rng.randint(2, 9))
    inside = Rational(rng.randint(200, 800), 1000)
    if isinstance(symbol, Quantity) and symbol.domain.lower >= 1:
        return inside + Rational(symbol.domain.lower)
    return inside


@dataclass(frozen=True)
class Reduction:
    """Under ``when``, each term becomes ``factors[label]`` (1 where unnamed) times the term of ``to``.

    ``leaves`` names the terms that remain here and that the other theorem lacks.
    """

    to: str
    when: Mapping[Quantity, Expr | int] = field(hash=False)
    factors: Mapping[str, Expr | int] = field(default_factory=dict, hash=False)
    leaves: tuple[str, ...] = ()
    holds: bool = True
    because: str = ""

    def check(self, ours: Mapping[str, Term], theirs: Mapping[str, Term]) -> Leftover:
        """What is left of our terms after theirs, times the stated factors, are taken away.

        A term named in ``leaves`` is left over where it vanished after all, or where the other theorem
        has it too. Raises BoundkitError where a term has no value under ``when``.
        """
        rest: dict[str, Expr] = {}
        for label in {**ours, **theirs}:
            ours_here = _substitute(ours[label].expr, self.when) if label in ours else S.Zero
            theirs_here = _substitute(theirs[label].expr, self.when) if label in theirs else S.Zero
            difference = ours_here - _substitute(sympify(self.factors.get(label, 1)), self.when) * theirs_here
            left_over = label in self.leaves and not vanishes(ours_here) and vanishes(theirs_here)
            if not left_over and (label in self.leaves or not vanishes(difference)):
                rest[label] = difference
        return Leftover(rest)


@dataclass(frozen=True)
class Limit:
    """Under ``when``, the terms ``removes`` vanish, and no other does.

    ``when`` is put into the formula, so a value at which a term divides by zero is refused.
    """

    when: Mapping[Quantity, Expr | int] = field(hash=False)
    removes: tuple[str, ...]
    holds: bool = True
    because: str = ""

    def check(self, terms: Mapping[str, Term]) -> Leftover:
        """The terms that should have vanished and did not, or vanished and should not have."""
        rest: dict[str, Expr] = {}
        for label, term in terms.items():
            value = _substitute(term.expr, self.when)
            if (label in self.removes) != vanishes(value):
                rest[label] = value
        return Leftover(rest)


def computed_limits(terms: Mapping[str, Term], quantities: Iterable[Quantity]) -> tuple[Limit, ...]:
    """The limits of one quantity: at each end inside its domain, the terms that vanish there.

    A value at which no term vanishes, or at which a term has none, is left out.
    """
    limits = []
    for quantity in quantities:
        for value in quantity.domain.ends:
            with suppress(BoundkitError):
                values = {label: _substitute(t.expr, {quantity: value}) for label, t in terms.items()}
                removed = tuple(
                    label for label, e in values.items() if e != terms[label].expr and vanishes(e)
                )
                limits += [Limit({quantity: value}, removed)] if removed else []
    return tuple(limits)


@dataclass(frozen=True)
class Leftover:
    """Differences left by a check, by label; empty where the statement is true."""

    differences: Mapping[str, Expr] = field(hash=False)

    @property
    def terms(self) -> dict[str, Expr]:
        """The differences, simplified on request, because that may take long."""
        return {label: simplify(expr) for label, expr in self.differences.items()}

    def __bool__(self) -> bool:
        return bool(self.differences)

    def __str__(self) -> str:
        return "; ".join(f"{label}: {expr}" for label, expr in self.terms.items()) or "nothing left over"


def check_values(when: Mapping[Quantity, Expr | int]) -> None:
    """Refuse a value without the unit of its quantity, such as eta = 1; 0 and infinity fit any.

    Raises DimensionError.
    """
    for quantity, given in when.items():
        value = sympify(given)
        if value.is_infinite:
            continue
        dimension = dimension_of(value, units_of(value))
        if dimension not in (None, quantity.dimension):
            raise DimensionError(
                f"{quantity} has dimension {quantity.dimension}, but the value {value} has dimension "
                f"{dimension}{lost_unit(dimension, quantity.dimension)}."
            )


def _substitute(expr: Expr, when: Mapping[Quantity, Expr | int]) -> Expr:
    value = expr.subs(dict(when), simultaneous=True)
    if value.has(zoo, nan):
        point = ", ".join(f"{q} = {v}" for q, v in when.items())
        raise BoundkitError(f"{expr} has no value at {point}; it divides by zero there.")
    return value
