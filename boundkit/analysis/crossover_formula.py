"""Where two expressions are equal, as a formula for one quantity."""

from __future__ import annotations

from functools import lru_cache

from sympy import Add, Dummy, Expr, Mul, Pow, Rational, S, Symbol, expand, factor, gcd, log, sqrt, together

from boundkit.algebra import Quantity
from boundkit.analysis.powers import monomial, powers

LONGEST = 60
"""Operations of a formula that a person still reads."""


@lru_cache(maxsize=4096)
def solve_equality(left: Expr, right: Expr, symbol: Symbol) -> tuple[Expr, ...] | None:
    """The values of the symbol at which left = right; () where there are none, None without closed form.

    There are none where left/right does not depend on the symbol, and where one side is 0 throughout.
    Closed forms: both sides monomials of the symbol; both exponential in it; a polynomial of degree 2 in
    some power of it. A root of a quadratic may be negative or complex for some values of the rest.

    >>> from boundkit.algebra.notation import L, eta, sigma, sigma_g, tau
    >>> solve_equality(2 * eta * L * sigma**2, 8 * eta**2 * L**2 * (tau - 1) * sigma**2, eta)
    (1/(4*L*(tau - 1)),)
    """
    if left == 0 or right == 0:
        return ()
    forward, backward = _signed_sums((left, right), symbol)
    left, right = left.xreplace(forward), right.xreplace(forward)
    ratio = _ratio(left, right, symbol)
    if symbol not in ratio.free_symbols:
        return ()
    result = _from_monomial(ratio, symbol) or _from_exponential(ratio, symbol) or _from_square(ratio, symbol)
    if result is None:
        return None
    readable = tuple(_simplify(expr).xreplace(backward) for expr in result)
    return readable if all(expr.count_ops() <= LONGEST for expr in readable) else None


def _ratio(left: Expr, right: Expr, symbol: Symbol) -> Expr:
    """left/right with common factors cancelled, as far as that is cheap."""
    ratio = left / right
    return ratio if monomial(ratio, symbol) is not None else factor(left) / factor(right)


def _from_monomial(ratio: Expr, symbol: Symbol) -> tuple[Expr, ...] | None:
    result = monomial(ratio, symbol)
    return None if result is None else (result[0] ** (-1 / result[1]),)


def _from_exponential(ratio: Expr, symbol: Symbol) -> tuple[Expr, ...] | None:
    """c a^x b^-x ... = 1, with the symbol in exponents alone, once and without a factor beside it."""
    coefficient, rest = ratio.as_independent(symbol, as_Add=False)
    rate: Expr = S.Zero
    for part in Mul.make_args(rest):
        base, exponent = part.as_base_exp()
        slope = exponent.coeff(symbol)
        if symbol in base.free_symbols or exponent != slope * symbol or symbol in slope.free_symbols:
            return None
        rate += slope * log(base)
    return (log(1 / coefficient) / rate,)


def _from_square(ratio: Expr, symbol: Symbol) -> tuple[Expr, ...] | None:
    """c0 + c1 z + c2 z^2 = 0, where z is some power of the symbol."""
    result = powers(together(ratio - 1).as_numer_denom()[0], symbol)
    left = {p: c for p, c in (result or {}).items() if c != 0}
    if len(left) < 2:
        return None
    lowest = min(left)
    unit: Rational = gcd([p - lowest for p in left if p != lowest])
    by_degree = {(p - lowest) / unit: c for p, c in left.items()}
    if max(by_degree) > 2:
        return None
    constant, linear, quadratic = (by_degree.get(S(k), S.Zero) for k in range(3))
    if quadratic == 0:
        return ((-constant / linear) ** (1 / unit),)
    root = sqrt(linear**2 - 4 * constant * quadratic)
    return tuple(((-linear + sign * root) / (2 * quadratic)) ** (1 / unit) for sign in (1, -1))


def _signed_sums(exprs: tuple[Expr, ...], symbol: Symbol) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
    """Sums such as tau - 1 and 1 - C, whose sign the domain tells, as symbols of that sign, and back."""
    forward: dict[Expr, Expr] = {}
    stand_ins: dict[Expr, Expr] = {}
    for total in {part for expr in exprs for part in expr.atoms(Add)}:
        sign = 0 if symbol in total.free_symbols else _sign(total)
        if sign:
            stand_in = stand_ins.setdefault(sign * total, Dummy(positive=True))
            forward[total] = sign * stand_in
    return forward, {stand_in: total for total, stand_in in stand_ins.items()}


def _sign(total: Expr) -> int:
    """1 or -1 for a sum that is linear in one quantity and keeps its sign on the domain, else 0."""
    (only,) = total.free_symbols if len(total.free_symbols) == 1 else (None,)
    if not isinstance(only, Quantity) or not (slope := total.diff(only)).is_Rational:
        return 0
    domain = only.domain
    ends = [total.subs(only, Rational(str(domain.lower)))]
    ends.append(slope if domain.upper == float("inf") else total.subs(only, Rational(str(domain.upper))))
    return 1 if all(e >= 0 for e in ends) else -1 if all(e <= 0 for e in ends) else 0


def _simplify(expr: Expr) -> Expr:
    """The form with the fewest operations and minus signs among those that cost little."""
    flat = expr.replace(
        lambda e: isinstance(e, Pow) and e.exp.is_Rational and isinstance(e.base, Mul) and e.base.is_positive,
        lambda e: Mul(*(Pow(part, e.exp) for part in e.base.args)),
    )
    if not expr.has(Add):
        return min(expr, flat, key=_complexity)
    above, below = (expand(part) for part in together(expr).as_numer_denom())
    if below.could_extract_minus_sign():
        above, below = -above, -below
    forms = [expr, flat, factor(expr), above / below, Add(*(part / below for part in Add.make_args(above)))]
    return min(forms, key=_complexity)


def _complexity(expr: Expr) -> tuple[int, int]:
    """How long a formula is to read."""
    return int(expr.count_ops()), str(expr).count("-")
