"""The sign of an expression for all admissible values, by exact argument only, and where it changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lcm, prod

import numpy as np
from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Ge,
    GeneratorsNeeded,
    Gt,
    Le,
    Lt,
    Mul,
    Poly,
    PolynomialError,
    Pow,
    Rational,
    S,
    Symbol,
    exp,
    factor_terms,
    fraction,
    harmonic,
    log,
    simplify,
    together,
)
from sympy.core.relational import Relational

from boundkit.analysis.evaluate import Array, evaluate
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet, Sample

MOST_PARTS, MOST_OPERATIONS = 500, 100
"""Longer sums are not expanded: a proof rarely succeeds, and takes long."""


def sign(expr: Expr, where: AdmissibleSet) -> int | None:
    """1 for nonnegative, -1 for nonpositive, 0 for zero; None where neither is proved.

    >>> from boundkit.algebra.notation import C, m, tau
    >>> from boundkit.analysis.sensitivity.admissible_set import admissible_set
    >>> from boundkit.analysis.sensitivity.admissible_set import sample
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
    except GeneratorsNeeded:  # the symbols cancel
        return _sign_by_sympy(expr.expand())
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


SOLVED_FOR = ("T", "gap", "distance", "wall", "sigma_g", "kappa", "sigma_star", "sigma", "Gamma", "m", "L")
"""Quantities for which a boundary is solved first, where it cannot be solved for the changing one."""

MOST_SIMPLIFIED = 16
"""A longer formula is not simplified: that rarely succeeds, and takes long."""

SignRegion = tuple[int, tuple[Relational, ...]]
"""A sign and its conditions."""


@dataclass(frozen=True)
class _Pair:
    """low z^p + high z^q with p < q; the signs of low and high where they are known."""

    symbol: Symbol
    low: Expr
    high: Expr
    gap: Expr
    signs: tuple[int | None, int | None]

    @property
    def unknown(self) -> int:
        return sum(s is None for s in self.signs)


def sign_regions(expr: Expr, first: Symbol, where: AdmissibleSet) -> list[SignRegion] | None:
    """The signs of the expression and where they hold, with the boundary solved for one quantity.

    For ``first`` if it can be, and then for the first of ``SOLVED_FOR``. None where the expression is
    no sum of two powers of any of them.
    """
    known = {str(s): s for s in sorted(expr.free_symbols, key=str)}
    usual = [first, *(known[n] for n in SOLVED_FOR if n in known)]
    best: _Pair | None = None
    for symbols in (usual, [s for s in known.values() if s not in usual]):
        for symbol in dict.fromkeys(symbols):
            pair = _pair(expr, symbol, where)
            if pair is not None and (best is None or pair.unknown < best.unknown):
                best = pair
            if best is not None and best.unknown == 0:
                break
        if best is not None and best.unknown < 2:
            break
    return None if best is None or best.unknown == 2 else _sign_regions_of(best)


def _pair(expr: Expr, symbol: Symbol, where: AdmissibleSet) -> _Pair | None:
    parts = coefficients_by_part(expr, symbol) or powers(expr, symbol)
    if parts is None:
        return None
    left = [(p, c) for p, c in sorted(parts.items()) if c != 0]
    if len(left) != 2:
        return None
    (p, low), (q, high) = left
    return _Pair(symbol, low, high, q - p, (sign(low, where), sign(high, where)))


def coefficients_by_part(expr: Expr, symbol: Symbol) -> dict[Rational, Expr] | None:
    """The coefficients of a sum without expansion of its parts."""
    result: dict[Rational, Expr] = {}
    for part in Add.make_args(expr):
        one = monomial(part, symbol)
        if one is None:
            return None
        result[one[1]] = result.get(one[1], S.Zero) + one[0]
    return result


def _sign_regions_of(pair: _Pair) -> list[SignRegion]:
    """The possible signs of two coefficients, where one may be unknown."""
    low, high = pair.signs
    if low is not None and high is not None:
        return _both(pair, low, high, ())
    open_part = pair.high if high is None else pair.low
    result: list[SignRegion] = []
    for assumed, place in ((1, nonnegative_condition(open_part)), (-1, negative_condition(open_part))):
        result += _both(pair, low or assumed, high or assumed, (place,))
    return result


def _both(pair: _Pair, low: int, high: int, also: tuple[Relational, ...]) -> list[SignRegion]:
    if low == 0 or high == 0 or low == high:
        return [(low or high, also)]
    edge = tidy((-pair.low / pair.high) ** (1 / pair.gap))
    return [
        (low, (*also, Le(pair.symbol, edge, evaluate=False))),
        (high, (*also, Gt(pair.symbol, edge, evaluate=False))),
    ]


def nonnegative_condition(expr: Expr) -> Relational:
    """expr >= 0 with negative parts on the other side, without common factors."""
    plus, minus = _split(expr)
    return Ge(plus, minus, evaluate=False)


def negative_condition(expr: Expr) -> Relational:
    """expr < 0, likewise."""
    plus, minus = _split(expr)
    return Lt(plus, minus, evaluate=False)


def tidy(expr: Expr) -> Expr:
    """The formula in a short form."""
    written = [expr, factor_terms(expr, sign=False), over_common_denominator(expr)]
    if expr.count_ops() <= MOST_SIMPLIFIED:
        written.append(simplify(expr))
    return min(written, key=lambda e: (e.count_ops(), len(str(e))))


def over_common_denominator(expr: Expr) -> Expr:
    """The formula over one denominator, products first, without a common minus sign."""
    if isinstance(expr, (Mul, Pow)) and any(isinstance(f, Pow) for f in Mul.make_args(expr)):
        return Mul(*(_readable(f) for f in Mul.make_args(expr)))
    above, below = together(expr).as_numer_denom()
    above, below = factor_terms(above), factor_terms(below)
    if above.could_extract_minus_sign() and below.could_extract_minus_sign():
        above, below = -above, -below
    return above / below


def _readable(factor: Expr) -> Expr:
    """A power of a sum, with the sum over one denominator and without a common minus sign."""
    if not isinstance(factor, Pow) or not factor.base.is_Add:
        return factor
    base = over_common_denominator(factor.base)
    turned = factor.exp.is_Integer and factor.exp % 2 == 1 and base.could_extract_minus_sign()
    return -Pow(-base, factor.exp) if turned else Pow(base, factor.exp)


def _split(expr: Expr) -> tuple[Expr, Expr]:
    """The positive and the negative parts, without common positive factors."""
    above, below = together(expr).as_numer_denom()
    whole = factor_terms(above)
    kept = [f for f in Mul.make_args(whole) if not f.is_nonnegative]
    turned = [f for f in Mul.make_args(below) if not f.is_positive]
    parts = Add.make_args(Mul(*kept, *turned).expand())
    minus = [-p for p in parts if p.could_extract_minus_sign()]
    plus = [p for p in parts if not p.could_extract_minus_sign()]
    return factor_terms(Add(*plus)), factor_terms(Add(*minus))
