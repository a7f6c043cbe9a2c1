"""Conditions as written. sympy's ``Le`` tries to decide them first, which takes longer than a prediction."""

from sympy import Expr, Ge, Le
from sympy.core.relational import Relational


def at_most(left: Expr, right: Expr | int) -> Relational:
    """left <= right, left undecided.

    >>> from boundkit.algebra.notation import L, eta
    >>> at_most(eta, 1 / L)
    eta <= 1/L
    """
    return Le(left, right, evaluate=False)


def at_least(left: Expr, right: Expr | int) -> Relational:
    """left >= right, left undecided."""
    return Ge(left, right, evaluate=False)
