"""The values a quantity may take, with a sentence for those it may not, and conditions as written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sympy import Expr
    from sympy.core.relational import Relational

WHOLE_TOLERANCE = 1e-9
"""How far from a whole number a value that must be whole may lie (0.1 * 30 is not 3 in floating point)."""

LARGEST_EXACT = 2**53
"""The largest whole number below which double precision holds them all."""

SMALLEST, LARGEST = 1e-50, 1e50
"""The sizes between which numbers other than 0 are taken from a user: products of a few stay finite."""

_ROUNDING = 1e-15


@dataclass(frozen=True)
class Domain:
    """An interval of the reals, or of the whole numbers.

    >>> FRACTION.complaint(1.5)
    'it must be above 0 and at most 1'
    >>> COUNT.complaint(3) is None
    True
    """

    lower: float
    upper: float = math.inf
    includes_lower: bool = True
    whole: bool = False
    includes_upper: bool = True

    def contains(self, value: Any) -> bool:
        """True where the value is finite, inside the interval, and whole if required.

        A whole number that double precision would round is not contained in a domain of whole numbers.
        """
        number = _nearest(value)
        if not math.isfinite(number) or (self.whole and is_rounded(value)):
            return False
        above = number >= self.lower if self.includes_lower else number > self.lower
        below = number <= self.upper if self.includes_upper else number < self.upper
        return above and below and (not self.whole or is_whole(number))

    def complaint(self, value: Any) -> str | None:
        """Why the value is refused, as the end of a sentence; None where it is accepted."""
        if self.contains(value):
            return None
        number = _nearest(value)
        if not math.isfinite(number):
            return f"it must be finite, {self}"
        if self.contains(number):
            return f"it must be at most {LARGEST_EXACT}, or one of those that double precision holds exactly"
        return f"it must be {self}"

    def __str__(self) -> str:
        kind = "a whole number, " if self.whole else ""
        low = f"{'at least' if self.includes_lower else 'above'} {self.lower:g}"
        high = f"{'at most' if self.includes_upper else 'below'} {self.upper:g}"
        return kind + low + (f" and {high}" if math.isfinite(self.upper) else "")

    @property
    def ends(self) -> tuple[int, ...]:
        """The finite ends inside the domain, where they are whole numbers.

        >>> FRACTION.ends, NONNEGATIVE.ends, POSITIVE.ends
        ((1,), (0,), ())
        """
        ends_included = ((self.lower, self.includes_lower), (self.upper, self.includes_upper))
        return tuple(int(end) for end, included in ends_included if included and float(end).is_integer())

    @property
    def assumptions(self) -> dict[str, bool]:
        """What sympy may assume of a symbol with this domain."""
        positive = self.lower > 0 or not self.includes_lower
        return {"positive": True} if positive else {"nonnegative": True}


def is_whole(value: float) -> bool:
    """Whether a number is whole up to rounding.

    >>> is_whole(0.1 * 30), is_whole(2.5)
    (True, False)
    """
    return math.isfinite(value) and abs(value - round(value)) <= max(WHOLE_TOLERANCE, _ROUNDING * abs(value))


def _nearest(value: float) -> float:
    """The nearest float; infinite for a whole number beyond them all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_rounded(value: float) -> bool:
    """Whether double precision holds no number equal to a whole one, as for most of those above 2^53.

    >>> is_rounded(2**53), is_rounded(2**53 + 1), is_rounded(0.1)
    (False, True, False)
    """
    number = _nearest(value)
    exact: object = value  # numpy's whole numbers are no float to a type checker
    return isinstance(exact, Integral) and not (math.isfinite(number) and int(number) == exact)


POSITIVE = Domain(0, includes_lower=False)
NONNEGATIVE = Domain(0)
FRACTION = Domain(0, 1, includes_lower=False)
UNIT_INTERVAL = Domain(0, 1)
BELOW_ONE = Domain(0, 1, includes_upper=False)
AT_LEAST_ONE = Domain(1)
COUNT = Domain(1, whole=True)
COUNT_FROM_ZERO = Domain(0, whole=True)


def at_most(left: Expr, right: Expr | int) -> Relational:
    """left <= right, left undecided.

    >>> from boundkit.algebra.notation import L, eta
    >>> at_most(eta, 1 / L)
    eta <= 1/L
    """
    from sympy import Le  # here: domains are also those of runs, which need no symbols

    return Le(left, right, evaluate=False)


def at_least(left: Expr, right: Expr | int) -> Relational:
    """left >= right, left undecided."""
    from sympy import Ge

    return Ge(left, right, evaluate=False)


def sides(condition: Relational) -> tuple[Expr, Expr]:
    """The smaller and the larger side of an inequality.

    >>> from boundkit.algebra.notation import L, eta
    >>> sides(at_most(eta, 1 / L)) == sides(at_least(1 / L, eta)) == (eta, 1 / L)
    True
    """
    return (condition.lhs, condition.rhs) if "<" in condition.rel_op else (condition.rhs, condition.lhs)
