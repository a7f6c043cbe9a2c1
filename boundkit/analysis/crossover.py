"""Curves on which two expressions are equal over a window of two quantities: by formula or bisection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from sympy import Add, Dummy, Expr, Mul, Pow, Rational, S, Symbol, expand, factor, gcd, log, sqrt, together

from boundkit.algebra import Quantity
from boundkit.analysis.default_ranges import between
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, Array, evaluate, evaluate_precisely
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


CURVE_POINTS = 401
"""Points of a curve, where it is not steep."""

ROUNDS = 12
"""How often a steep piece of a curve is halved."""


@dataclass(frozen=True)
class Window:
    """Two quantities over ranges, rising, and the values of all others by keyword."""

    x: Symbol
    y: Symbol
    xs: Array
    ys: Array
    values: Mapping[str, float] = field(hash=False)

    def at(self, expr: Expr, x: Array | float, y: Array | float) -> Array:
        """The expression at points of the window."""
        return evaluate(expr, {**self.values, self.x.name: x, self.y.name: y})

    def along(self, symbol: Symbol) -> Array:
        """Points of the range of one of the two quantities, whole or not."""
        return between(self.xs if symbol == self.x else self.ys, CURVE_POINTS)

    def placed(self, symbol: Symbol, value: Array, other: Array) -> tuple[Array, Array]:
        """(x, y) where ``symbol`` has the value and the other quantity the other."""
        value, other = np.broadcast_arrays(value, other)
        return (value, other) if symbol == self.x else (other, value)

    def other(self, symbol: Symbol) -> Symbol:
        """The other of the two quantities."""
        return self.y if symbol == self.x else self.x


def steep_points(places: Array, beside: Array, ends: Array) -> Array:
    """Values of the other quantity half-way along pieces that are too steep, or where a curve breaks off."""
    with np.errstate(all="ignore"):
        height = np.log(places) / np.log(ends[1] / ends[0]) if ends[0] > 0 else places / (ends[1] - ends[0])
        jump = np.abs(np.diff(height))
    broken = np.isnan(places[1:]) != np.isnan(places[:-1])
    steep = np.flatnonzero((jump > 2 / CURVE_POINTS) | broken)
    return np.asarray((beside[steep] + beside[steep + 1]) / 2)


RESIDUAL = 1e-7
"""How well a formula must make both sides equal, relative to the larger."""

SHORT = 30
"""Operations of a formula for y beyond which one for x is looked for as well."""

_STEP = 1e-4
"""How far from a curve one looks to see which side is larger."""


@dataclass(frozen=True)
class Curve:
    """A branch of left = right: points (x, y), nan outside the window.

    ``expr`` is the formula of ``quantity`` on it, None where there is no closed form. ``grows`` says
    whether left is larger than right where the quantity is larger; None where that was not observed.
    """

    quantity: str
    expr: Expr | None
    points: Array = field(compare=False)
    grows: bool | None = None

    @property
    def inside(self) -> bool:
        """Whether it passes through the window."""
        return bool(np.isfinite(self.points).all(axis=-1).any())


def crossover_curves(left: Expr, right: Expr, window: Window) -> tuple[Curve, ...] | None:
    """The branches of left = right; () where the two are never equal, None where their ratio is constant.

    By formula, for y or x, whichever is shorter; each formula is put back into both sides at the points of
    its curve. Where there is none, or it fails the test, the curve is computed by bisection.
    """
    places: dict[Symbol, tuple[Expr, ...] | None] = {}
    answers: list[tuple[Curve, ...]] = []
    for symbol in (window.y, window.x):
        places[symbol] = roots = solve_equality(left, right, symbol)
        answer = _branches(left, right, window, symbol, roots) if roots else None
        if answer is not None:
            answers.append(answer)
            if _length(answer) <= SHORT:
                break
    if answers:
        return min(answers, key=_length)
    if all(roots == () for roots in places.values()):
        return None
    symbol = window.x if places[window.y] == () else window.y
    return tuple(Curve(symbol.name, None, *one) for one in bisect_branches(left, right, window, symbol))


def _branches(
    left: Expr, right: Expr, window: Window, symbol: Symbol, roots: tuple[Expr, ...]
) -> tuple[Curve, ...] | None:
    """The curves of some formulas, without those that are nowhere real and positive; None if one is wrong."""
    result: list[Curve] = []
    for expr in roots:
        x, y = _trace(expr, window, symbol)
        a, b = (np.broadcast_to(window.at(side, x, y), x.shape) for side in (left, right))
        finite = np.isfinite(a) & np.isfinite(b) & (np.maximum(np.abs(a), np.abs(b)) < 1e300)
        with np.errstate(all="ignore"):
            wrong = finite & (np.abs(a - b) > RESIDUAL * np.maximum(np.abs(a), np.abs(b)))
        beside = y if symbol == window.x else x
        if not all(_equal_precisely(left, right, expr, window, symbol, at) for at in beside[wrong]):
            return None
        if finite.any():
            points = _clip(np.column_stack([x, y]), window)
            result.append(Curve(symbol.name, expr, points, _increases(left, right, window, symbol, x, y)))
    return tuple(result)


def _equal_precisely(
    left: Expr, right: Expr, expr: Expr, window: Window, symbol: Symbol, beside: float
) -> bool:
    """Whether a formula makes both sides equal beside a value of the other quantity, whatever cancels."""
    values = {**window.values, window.other(symbol).name: beside}
    values[symbol.name] = evaluate_precisely(expr, values)
    a, b = (evaluate_precisely(side, values) for side in (left, right))
    return bool(abs(a - b) <= RESIDUAL * max(abs(a), abs(b)))


def _trace(expr: Expr, window: Window, symbol: Symbol) -> tuple[Array, Array]:
    """(x, y) along a formula, nan where it is not real and positive; denser where it is steep."""
    other, ends = window.along(window.other(symbol)), window.along(symbol)[[0, -1]]

    def value(beside: Array) -> Array:
        x, y = window.placed(symbol, np.asarray(0.0), beside)
        result = np.broadcast_to(window.at(expr, x, y), beside.shape)
        return np.where(np.isfinite(result) & (result > 0), result, np.nan)

    for _ in range(ROUNDS):
        new = steep_points(np.clip(value(other), *ends), other, ends)
        if not new.size:
            break
        other = np.sort(np.concatenate([other, new]))
    return window.placed(symbol, value(other), other)


def _increases(left: Expr, right: Expr, window: Window, symbol: Symbol, x: Array, y: Array) -> bool | None:
    """Whether left is the larger side a little further along the symbol, at the first point that tells."""
    beyond = 1 + _STEP
    at = (x * beyond, y) if symbol == window.x else (x, y * beyond)
    more = difference_sign(*(np.broadcast_to(window.at(side, *at), x.shape) for side in (left, right)))
    signed = np.flatnonzero(np.isfinite(more) & (more != 0))
    return bool(more[signed[0]] > 0) if signed.size else None


def _clip(points: Array, window: Window) -> Array:
    """The points, nan where they are outside the window."""
    ends = np.array([[window.xs[0], window.ys[0]], [window.xs[-1], window.ys[-1]]])
    tolerance = 1e-12 * np.abs(ends)
    with np.errstate(invalid="ignore"):
        inside = ((points >= ends[0] - tolerance[0]) & (points <= ends[1] + tolerance[1])).all(axis=-1)
    return np.where(inside[:, None], points, np.nan)


def _length(answer: tuple[Curve, ...]) -> int:
    return sum(int(curve.expr.count_ops()) for curve in answer if curve.expr is not None)


_HALVINGS = 60


def bisect_branches(left: Expr, right: Expr, window: Window, symbol: Symbol) -> list[tuple[Array, bool]]:
    """The branches of left = right: points (x, y), nan where a branch is not, and whether left grows there.

    Every sign change of left - right along the symbol, at values of the other quantity, which lie denser
    where a branch is steep.
    """
    ends = window.along(symbol)[[0, -1]]
    new = window.along(window.other(symbol))
    rows = np.empty(
        (0, 4)
    )  # the other quantity, the place, the number of the branch, whether left grows there
    beside = np.empty(0)
    for _ in range(ROUNDS):
        rows = np.concatenate([rows, _sign_changes(left, right, window, symbol, new)])
        beside = np.sort(np.concatenate([beside, new]))
        steep = [steep_points(_places(rows, beside, k), beside, ends) for k in range(_branch_count(rows))]
        new = np.unique(np.concatenate([np.empty(0), *steep]))
        if not new.size:
            break
    result = []
    for k in range(_branch_count(rows)):
        points = np.column_stack(window.placed(symbol, _places(rows, beside, k), beside))
        result.append((points, bool(rows[rows[:, 2] == k][0, 3])))
    return result


def _sign_changes(left: Expr, right: Expr, window: Window, symbol: Symbol, beside: Array) -> Array:
    """A row for each: the other quantity, the place, how many came before it there, whether left grows."""
    values = window.along(symbol)

    def above(value: Array, other: Array) -> Array:
        x, y = window.placed(symbol, value, other)
        a, b = (np.broadcast_to(window.at(side, x, y), x.shape) for side in (left, right))
        return difference_sign(a, b)

    signs = above(values[None, :], beside[:, None])
    for column in range(1, values.size):  # equal at a value itself: what was before it counts there
        signs[:, column] = np.where(signs[:, column] == 0, signs[:, column - 1], signs[:, column])
    rows, columns = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0)
    low, high, first = values[columns], values[columns + 1], signs[rows, columns]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = above(middle, beside[rows]) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    number = np.arange(rows.size) - np.searchsorted(rows, rows)
    return np.column_stack([beside[rows], low, number, first < 0])


def difference_sign(left: Array, right: Array) -> Array:
    """The sign of left - right, 0 where they differ by rounding alone."""
    with np.errstate(all="ignore"):
        difference = left - right
        slack = RELATIVE_TOLERANCE * np.maximum(np.abs(left), np.abs(right))
        return np.where(np.isfinite(slack) & (np.abs(difference) <= slack), 0.0, np.sign(difference))


def _branch_count(rows: Array) -> int:
    return int(rows[:, 2].max(initial=-1)) + 1


def _places(rows: Array, beside: Array, branch: int) -> Array:
    """The places of one branch at all values of the other quantity, nan where it is not there."""
    mine = rows[rows[:, 2] == branch]
    places = np.full(beside.shape, np.nan)
    places[np.searchsorted(beside, mine[:, 0])] = mine[:, 1]
    return places
