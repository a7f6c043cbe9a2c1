"""Dimensions of quantities and of expressions, in the units of optimisation.

A loss has unit [F], a parameter vector has unit [x], a clock [s]; everything else follows. A step size is
[x]^2/[F], because it turns a gradient, [F]/[x], into a displacement. Change either unit and a true
bound stays true: that is what makes a dimension check worth having. It costs nothing and catches a
wrong exponent, a lost square, and a step size silently replaced by a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from sympy import Abs, Add, Expr, Max, Min, Mul, Pow, Symbol, acosh, asinh, binomial, ceiling, exp, floor, log
from sympy.core.relational import Relational

from boundkit.algebra.errors import DimensionError
from boundkit.algebra.sums import (
    ActiveShare,
    ClientMax,
    ClientSum,
    RoundMax,
    RoundMean,
    WeightSquares,
    WeightSum,
)

_JOINS = {Add: "adds", Max: "compares", Min: "compares"}
_PURE = (exp, log, asinh, acosh, binomial, ceiling, floor, ActiveShare, WeightSum, WeightSquares)


@dataclass(frozen=True)
class Dimension:
    """[F]^loss [x]^length [s]^time, with rational exponents.

    >>> STEP * GRADIENT == LENGTH
    True
    >>> print(GRADIENT**2)
    [F]^2/[x]^2
    >>> print(ONE)
    1 (no unit)
    """

    loss: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    time: Fraction = Fraction(0)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.loss + other.loss, self.length + other.length, self.time + other.time)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: int | Fraction) -> Dimension:
        power = Fraction(exponent)
        return Dimension(self.loss * power, self.length * power, self.time * power)

    @property
    def units(self) -> str:
        """The ``units`` attribute of data of this dimension: a number has the unit 1."""
        return "1" if self == ONE else str(self)

    def __str__(self) -> str:
        parts = [("[F]", self.loss), ("[x]", self.length), ("[s]", self.time)]
        above = [_power(unit, e) for unit, e in parts if e > 0]
        below = [_power(unit, -e) for unit, e in parts if e < 0]
        if not above and not below:
            return "1 (no unit)"
        denominator = f"({' '.join(below)})" if len(below) > 1 else "".join(below)
        return (" ".join(above) or "1") + (f"/{denominator}" if below else "")


def _power(unit: str, exponent: Fraction) -> str:
    return (
        unit
        if exponent == 1
        else f"{unit}^{exponent}"
        if exponent.denominator == 1
        else f"{unit}^({exponent})"
    )


ONE = Dimension()
LOSS = Dimension(loss=Fraction(1))
LENGTH = Dimension(length=Fraction(1))
GRADIENT = LOSS / LENGTH
CURVATURE = LOSS / LENGTH**2
STEP = LENGTH**2 / LOSS
SECONDS = Dimension(time=Fraction(1))


def dimension_of(expr: Expr, units: Mapping[Symbol, Dimension]) -> Dimension | None:
    """The dimension of an expression; None for 0, which fits any dimension.

    Raises DimensionError where terms of different dimension are added, compared or exponentiated.

    >>> from sympy import symbols
    >>> eta, L, tau = symbols("eta L tau")
    >>> print(dimension_of(eta * L * tau, {eta: STEP, L: CURVATURE, tau: ONE}))
    1 (no unit)
    """
    if isinstance(expr, Symbol):
        if expr not in units:
            raise DimensionError(
                f"the symbol {expr} has no dimension; every symbol of a bound is a Quantity."
            )
        return units[expr]
    if expr.is_number:  # for numbers only: sympy is slow to decide whether a formula is 0
        return None if expr.is_zero else ONE
    if isinstance(expr, Mul):
        return _product(expr, units)
    if isinstance(expr, tuple(_JOINS)):
        return _common(expr, units)
    if isinstance(expr, Pow):
        return _raised(expr, units)
    if isinstance(expr, _PURE):
        for argument in expr.args:
            _must_be_one(argument, units, f"the argument of {type(expr).__name__}")
        return ONE
    if isinstance(expr, (Abs, ClientSum, ClientMax, RoundMean, RoundMax)):
        return dimension_of(expr.args[0], units)
    raise DimensionError(f"no rule gives the dimension of {expr} ({type(expr).__name__}).")


def check_relation(relation: Relational, units: Mapping[Symbol, Dimension]) -> None:
    """Refuse a condition such as eta <= 1/(8 L tau) whose two sides have different dimensions."""
    left, right = dimension_of(relation.lhs, units), dimension_of(relation.rhs, units)
    if left is not None and right is not None and left != right:
        raise DimensionError(
            f"the condition {relation.lhs} {relation.rel_op} {relation.rhs} compares {left} with {right}"
            f"{lost_unit(left, right)}."
        )


def lost_unit(one: Dimension, other: Dimension) -> str:
    """A guess at why two dimensions differ, as the end of a sentence; empty where there is none.

    Where they differ by a power of [x]^2/[F], or one of them is a pure number, the likely error is the
    most common one in print: eta = sqrt(m/(tau T)), a step size replaced by a number.

    >>> lost_unit(LOSS, GRADIENT**2)
    '; a step size replaced by a number loses its unit, and so does a forgotten L: sqrt(m/(tau*T))/L ...'
    >>> lost_unit(LOSS, LENGTH)
    ''
    """
    ratio = one / other
    if ratio.time:
        return ""
    if ratio.length == -2 * ratio.loss:
        also = "and so does a forgotten L"
    elif ONE in (one, other):
        also = "and so does L or gap set to 1"
    else:
        return ""
    rule = "sqrt(m/(tau*T))"
    return f"; a step size replaced by a number loses its unit, {also}: {rule}/L is a step, {rule} is not"


def lost_factor(term: Expr, missing: Dimension) -> str:
    """A letter of a term that has the missing dimension, as the end of a sentence; empty where there is none.

    >>> from boundkit.algebra.notation import L, eta, m, sigma
    >>> lost_factor(eta * L * sigma / m, GRADIENT)
    '; with another factor sigma it would have it'
    >>> lost_factor(eta * L / m, GRADIENT)
    ''
    """
    letters = sorted(q.name for q in term.free_symbols if getattr(q, "dimension", ONE) == missing)
    return f"; with another factor {letters[0]} it would have it" if letters else ""


def _product(expr: Mul, units: Mapping[Symbol, Dimension]) -> Dimension | None:
    factors = [dimension_of(factor, units) for factor in expr.args]
    return None if None in factors else prod((f for f in factors if f is not None), start=ONE)


def _common(expr: Expr, units: Mapping[Symbol, Dimension]) -> Dimension | None:
    """The one dimension that all parts of a sum, maximum or minimum share."""
    first: tuple[Expr, Dimension] | None = None
    for part in expr.args:
        dimension = dimension_of(part, units)
        if dimension is None:
            continue
        if first is None:
            first = (part, dimension)
        elif dimension != first[1]:
            raise DimensionError(
                f"{expr} {_JOINS[expr.func]} unlike things: {first[0]} has dimension {first[1]}, "
                f"{part} has dimension {dimension}{lost_unit(first[1], dimension)}."
            )
    return first[1] if first else None


def _raised(expr: Pow, units: Mapping[Symbol, Dimension]) -> Dimension | None:
    base = dimension_of(expr.base, units)
    if base is None:
        return None if expr.is_zero else ONE
    if expr.exp.is_Rational:
        return base ** Fraction(int(expr.exp.p), int(expr.exp.q))
    if base != ONE:
        raise DimensionError(f"{expr} raises {base} to the power {expr.exp}, which is not a fixed fraction.")
    _must_be_one(expr.exp, units, f"the exponent of {expr}")
    return ONE


def _must_be_one(expr: Expr, units: Mapping[Symbol, Dimension], what: str) -> None:
    dimension = dimension_of(expr, units)
    if dimension not in (None, ONE):
        raise DimensionError(f"{what} must be a pure number, but {expr} has dimension {dimension}.")
