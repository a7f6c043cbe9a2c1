"""Sign change of an expression, as a formula for one of its quantities."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Ge, Gt, Le, Lt, Mul, Pow, Rational, S, Symbol, factor_terms, simplify, together
from sympy.core.relational import Relational

from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.signs import sign

SOLVED_FOR = ("T", "gap", "distance", "wall", "sigma_g", "kappa", "sigma_star", "sigma", "Gamma", "m", "L")
"""Quantities for which a boundary is solved first, where it cannot be solved for the changing one."""

MOST_OPERATIONS = 16
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
    if expr.count_ops() <= MOST_OPERATIONS:
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
