"""The sign of an expression for all admissible values of its quantities, by exact argument only."""

from __future__ import annotations

from functools import lru_cache
from math import lcm, prod

import numpy as np
from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Mul,
    Poly,
    PolynomialError,
    Pow,
    exp,
    fraction,
    harmonic,
    log,
    together,
)

from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.sampling import Array, Sample

MOST_PARTS, MOST_OPERATIONS = 500, 100
"""Longer sums are not expanded: a proof rarely succeeds, and takes long."""


def sign(expr: Expr, where: AdmissibleSet) -> int | None:
    """1 for nonnegative, -1 for nonpositive, 0 for zero; None where neither is proved.

    >>> from boundkit.algebra.notation import C, m, tau
    >>> from boundkit.analysis.sensitivity.admissible_set import admissible_set
    >>> from boundkit.analysis.sensitivity.sampling import sample
    >>> everywhere = admissible_set([C, m, tau], sample([C, m, tau]))
    >>> sign(tau**2 - 2 * tau + 1, everywhere), sign(C - 1, everywhere), sign(m - 2, everywhere)
    (1, -1, None)
    """
    return _cached_sign(expr, where)


@lru_cache(maxsize=4096)
def _cached_sign(expr: Expr, where: AdmissibleSet) -> int | None:
    if (plain := _sign_by_sympy(expr)) is not None:
        return plain
    for multiply in (False, True):
        if multiply and not one_sided(expr, where.points):
            return None
        for expression in where.on_charts(expr):
            result = _sign(expression, multiply)
            if result is not None:
                return result
    return None


def one_sided(expr: Expr, points: Sample) -> bool:
    """Whether the expression is not clearly positive at one point of the sample and negative at another."""
    if not points.size:
        return True
    value, magnitude = values_and_magnitudes(expr, points)
    clear = 1e-9 * magnitude
    return not bool((value > clear).any() and (value < -clear).any())


def values_and_magnitudes(expr: Expr, points: Sample) -> tuple[Array, Array]:
    """The values at the points of a sample, and the sums of absolute parts; 0 for undefined values."""
    sizes = Add(*(Abs(p, evaluate=False) for p in Add.make_args(expr)), evaluate=False)
    total, size = (np.broadcast_to(evaluate(e, points.values), (points.size,)) for e in (expr, sizes))
    good = np.isfinite(total) & np.isfinite(size)
    return np.where(good, total, 0.0), np.where(good, size, 0.0)


def _sign_by_sympy(expr: Expr) -> int | None:
    """The sign by sympy's assumptions."""
    if expr.is_zero:
        return 0
    if expr.is_extended_nonnegative:
        return 1
    return -1 if expr.is_extended_nonpositive else None


@lru_cache(maxsize=16384)
def _sign(expr: Expr, multiply: bool) -> int | None:
    """The sign for nonnegative symbols."""
    if (plain := _sign_by_sympy(expr)) is not None:
        return plain
    if isinstance(expr, Mul):
        return _product([_sign(factor, multiply) for factor in expr.args])
    if isinstance(expr, Pow):
        return _power(expr, multiply)
    if isinstance(expr, log):
        return _sign(expr.args[0] - 1, multiply)
    if isinstance(expr, Add):
        result = _sum([_sign(part, multiply) for part in expr.args])
        if result is None:
            result = _one_minus_power(expr, multiply)
        return _multiplied_out(expr) if result is None and multiply else result
    if isinstance(expr, (exp, harmonic)):
        return 1
    return None


def _power(expr: Pow, multiply: bool) -> int | None:
    base = _sign(expr.base, multiply)
    if expr.exp.is_Integer and expr.exp % 2 == 0:
        return 1
    if expr.exp.is_Integer:
        return base
    return base if base in (0, 1) else None  # the root of what may be negative has no sign


def _one_minus_power(expr: Add, multiply: bool) -> int | None:
    """1 - b^e with b, e at least 0 has the sign of 1 - b, and 1 - x that of 1 - x^k, without roots."""
    rest = 1 - expr
    if isinstance(rest, Pow) and not rest.exp.is_number:
        known = _sign(rest.base, multiply) == 1 and _sign(rest.exp, multiply) == 1
        return _sign(1 - rest.base, multiply) if known else None
    roots = [f.exp.q for f in Mul.make_args(rest) if isinstance(f, Pow) and f.exp.is_Rational]
    root = lcm(*roots)
    return _sign(1 - rest**root, multiply) if root > 1 and _sign(rest, multiply) == 1 else None


def _multiplied_out(expr: Expr) -> int | None:
    """The sign of an expanded sum over one denominator, if all parts have one sign."""
    if expr.count_ops() > MOST_OPERATIONS:
        return None
    open_powers = {p: Dummy(nonnegative=True) for p in expr.atoms(Pow) if not p.exp.is_number}
    if any(_sign(p.base, False) != 1 for p in open_powers):
        return None
    expr = expr.xreplace(open_powers)
    above, below = fraction(together(expr))
    if max(_parts(above), _parts(below)) > MOST_PARTS:
        return None
    return _product([_polynomial(above), _polynomial(below)])


def _polynomial(expr: Expr) -> int | None:
    """The sign of a polynomial in nonnegative symbols, by its coefficients."""
    if (plain := _sign_by_sympy(expr)) is not None:
        return plain
    try:
        result = Poly(expr)
    except PolynomialError:
        return None
    if any(_sign_by_sympy(g) not in (0, 1) for g in result.gens):
        return None
    return _sum([_sign_by_sympy(c) for c in result.coeffs()])


def _parts(expr: Expr) -> int:
    """Upper bound of the number of parts of an expanded polynomial."""
    if isinstance(expr, Add):
        return sum(_parts(part) for part in expr.args)
    if isinstance(expr, Mul):
        return prod(_parts(factor) for factor in expr.args)
    if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp > 1:
        return int(_parts(expr.base) ** int(expr.exp))
    return 1


def _product(signs: list[int | None]) -> int | None:
    if 0 in signs:
        return 0
    result = 1
    for one in signs:
        if one is None:
            return None
        result *= one
    return result


def _sum(signs: list[int | None]) -> int | None:
    result = {one for one in signs if one != 0}
    if not result:
        return 0
    return result.pop() if len(result) == 1 else None
