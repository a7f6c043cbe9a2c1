"""Monotonicity of an expression in one quantity, all others fixed, by exact argument."""

from __future__ import annotations

from typing import Literal

from sympy import Add, Expr, Function, Max, Min, Mul, Pow, Symbol, exp, harmonic, log

from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.signs import sign

Direction = Literal["up", "down", "none"]

REVERSED: dict[str, Direction] = {"up": "down", "down": "up", "none": "none"}
_RISING = (exp, log, harmonic, Min, Max)
"""Functions that increase in every argument; others have an attribute ``rises``."""


def direction(expr: Expr, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    """ "up" for nondecreasing in the symbol, "down" for nonincreasing, None where neither is proved.

    First by the rules for products, powers and sums, then by the sign of the derivative.

    >>> from boundkit.algebra.notation import C, m, tau
    >>> from boundkit.analysis.sensitivity.admissible_set import admissible_set
    >>> from boundkit.analysis.sensitivity.sampling import sample
    >>> everywhere = admissible_set([C, m, tau], sample([C, m, tau]))
    >>> direction((1 - C) / (C * m), C, everywhere), direction((tau - 1) / tau, tau, everywhere)
    ('down', 'up')
    >>> direction((1 - C) ** m, C, everywhere), direction((tau - 1) / tau**2, tau, everywhere)
    ('down', None)
    """
    if symbol not in expr.free_symbols:
        return "none"
    if expr == symbol:
        return "up"
    by_rule = _by_rule(expr, symbol, where)
    if by_rule is not None or _rises(expr) or any(hasattr(type(f), "rises") for f in expr.atoms(Function)):
        return by_rule  # functions known only to increase have no derivative here
    slope = sign(expr.diff(symbol), where)
    return None if slope is None else "up" if slope > 0 else "down" if slope < 0 else "none"


def direction_of_sum(result: list[Direction | None]) -> Direction | None:
    """The direction of a sum from those of its parts."""
    moving = {one for one in result if one != "none"}
    if not moving:
        return "none"
    return moving.pop() if len(moving) == 1 else None


def _by_rule(expr: Expr, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    if isinstance(expr, Add):
        return direction_of_sum([direction(part, symbol, where) for part in expr.args])
    if _rises(expr):
        return direction_of_sum([direction(part, symbol, where) for part in expr.args])
    if isinstance(expr, Mul):
        return _product(expr, symbol, where)
    if isinstance(expr, Pow):
        return _power(expr, symbol, where)
    return None


def _product(expr: Mul, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    """Nonnegative factors of one direction, times a constant whose sign may reverse it."""
    still, moving = expr.as_independent(symbol, as_Add=False)
    turns = sign(still, where)
    if turns is None:
        return None
    factors = Mul.make_args(moving)
    if len(factors) > 1 and any(sign(f, where) not in (0, 1) for f in factors):
        return None
    result = direction_of_sum([direction(f, symbol, where) for f in factors])
    return result if result is None or turns > 0 else REVERSED[result] if turns < 0 else "none"


def _power(expr: Pow, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    if not expr.exp.is_Rational:
        return _symbolic_power(expr, symbol, where)
    if sign(expr.base, where) not in (0, 1):
        return None
    result = direction(expr.base, symbol, where)
    return result if result is None or expr.exp > 0 else REVERSED[result]


def _symbolic_power(expr: Pow, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    """base^exponent, both at least 0: up with the base, and with the exponent where base >= 1."""
    base, exponent = expr.base, expr.exp
    if sign(base, where) not in (0, 1) or sign(exponent, where) not in (0, 1):
        return None
    of_base, of_exponent = direction(base, symbol, where), direction(exponent, symbol, where)
    if of_base is None or of_exponent is None:
        return None
    if of_exponent != "none":
        above_one = sign(base - 1, where)
        if above_one is None:
            return None
        of_exponent = of_exponent if above_one > 0 else REVERSED[of_exponent] if above_one < 0 else "none"
    return direction_of_sum([of_base, of_exponent])


def _rises(expr: Expr) -> bool:
    return isinstance(expr, _RISING) or bool(getattr(type(expr), "rises", False))
