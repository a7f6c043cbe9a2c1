"""Whether an expression grows or falls with one quantity, all others held, by exact argument."""

from __future__ import annotations

from typing import Literal

from sympy import Add, Expr, Function, Max, Min, Mul, Pow, Symbol, exp, harmonic, log

from boundkit.analysis.sensitivity.domain import Ground
from boundkit.analysis.sensitivity.signs import sign

Direction = Literal["up", "down", "none"]

TURNED: dict[str, Direction] = {"up": "down", "down": "up", "none": "none"}
_RISING = (exp, log, harmonic, Min, Max)
"""Functions that never fall with any argument; others say so by an attribute ``rises``."""


def direction(expr: Expr, symbol: Symbol, where: Ground) -> Direction | None:
    """ "up" where it never falls with the symbol, "down" where it never grows, None where nobody knows.

    First by the rules for products, powers and sums, then by the sign of the derivative.

    >>> from boundkit.algebra.notation import C, m, tau
    >>> from boundkit.analysis.sensitivity.domain import ground
    >>> from boundkit.analysis.sensitivity.sampling import sample
    >>> everywhere = ground([C, m, tau], sample([C, m, tau]))
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
        return by_rule  # what says only that it rises has no derivative to look at
    slope = sign(expr.diff(symbol), where)
    return None if slope is None else "up" if slope > 0 else "down" if slope < 0 else "none"


def together_go(found: list[Direction | None]) -> Direction | None:
    """The direction of a sum whose parts go in these directions."""
    moving = {one for one in found if one != "none"}
    if not moving:
        return "none"
    return moving.pop() if len(moving) == 1 else None


def _by_rule(expr: Expr, symbol: Symbol, where: Ground) -> Direction | None:
    if isinstance(expr, Add):
        return together_go([direction(part, symbol, where) for part in expr.args])
    if _rises(expr):
        return together_go([direction(part, symbol, where) for part in expr.args])
    if isinstance(expr, Mul):
        return _product(expr, symbol, where)
    if isinstance(expr, Pow):
        return _power(expr, symbol, where)
    return None


def _product(expr: Mul, symbol: Symbol, where: Ground) -> Direction | None:
    """Factors that are at least 0 and move one way; what does not move may turn it."""
    still, moving = expr.as_independent(symbol, as_Add=False)
    turns = sign(still, where)
    if turns is None:
        return None
    factors = Mul.make_args(moving)
    if len(factors) > 1 and any(sign(f, where) not in (0, 1) for f in factors):
        return None
    found = together_go([direction(f, symbol, where) for f in factors])
    return found if found is None or turns > 0 else TURNED[found] if turns < 0 else "none"


def _power(expr: Pow, symbol: Symbol, where: Ground) -> Direction | None:
    if not expr.exp.is_Rational:
        return _open_power(expr, symbol, where)
    if sign(expr.base, where) not in (0, 1):
        return None
    found = direction(expr.base, symbol, where)
    return found if found is None or expr.exp > 0 else TURNED[found]


def _open_power(expr: Pow, symbol: Symbol, where: Ground) -> Direction | None:
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
        of_exponent = of_exponent if above_one > 0 else TURNED[of_exponent] if above_one < 0 else "none"
    return together_go([of_base, of_exponent])


def _rises(expr: Expr) -> bool:
    return isinstance(expr, _RISING) or bool(getattr(type(expr), "rises", False))
