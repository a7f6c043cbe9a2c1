r"""Scalar inequalities, proved: a rational function is nonnegative on a box, under polynomial constraints.

Nothing is decided by floating point numbers; they only choose simple points of the box, at which exact
arithmetic looks for a counterexample before the two methods:

- Exact: the numerator in Bernstein form. With x = (1 - t) lower + t upper, or x = lower + t/(1 - t) where the
  interval is unbounded, a polynomial is a sum of c_j t^j (1 - t)^(d - j), and c >= 0 proves that it is
  nonnegative. Where some c_j is negative, the box is halved; boxes on which a constraint fails are dropped. A
  corner of a box with a negative value is a counterexample.
- z3, the solver for nonlinear real arithmetic, of the extra [prove], for what is left: unsatisfiable negation
  means proved; ``unknown`` is never proved.

Both work on polynomials only: every factor of a denominator is first proved not to vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, lcm, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Symbol
from sympy.polys.fields import FracElement
from sympy.polys.rings import PolyElement

from boundkit.algebra.errors import BoundkitError

Status = Literal["proved", "refuted", "unknown"]
Tensor = NDArray[Any]

MOST_BOXES = 1500
"""Boxes that the exact method looks at before it gives up, by default."""
FEW_BOXES = 100
"""Boxes that it looks at before z3 is tried, where letters are constrained."""
_SHARES = (Fraction(0), *(Fraction(1, 4**power) for power in range(1, 12)))
"""How far from a corner to the middle of a box a counterexample is looked for."""
_SAMPLE, _TRIED = 400, 3
"""Simple points that are looked at for a counterexample, and how many of them are tried exactly."""
_ROUNDING = 1e-9
"""Largest rounding error of a polynomial in floating point numbers, relative to the size of its terms."""
EFFORT, SECONDS = 20_000_000, 30.0
"""Limits of z3 for one inequality: its own units of work, the same on every machine, and time."""
_effort = ContextVar("effort", default=EFFORT)


@contextmanager
def limited_effort(units: int) -> Iterator[None]:
    """Give z3 fewer units of work for one inequality, where many proofs are tried."""
    token = _effort.set(units)
    try:
        yield
    finally:
        _effort.reset(token)


@dataclass(frozen=True)
class Interval:
    """The values of a letter: at least ``lower``, above it where ``open``, and at most ``upper``."""

    lower: Fraction
    upper: Fraction | None = None
    open: bool = False

    @classmethod
    def of(cls, lower: Any, upper: Any = None, open: bool = False) -> Interval:
        """Build an interval from rational numbers, of sympy or Python."""
        return cls(_fraction(lower), None if upper is None else _fraction(upper), open)


Box = Mapping[Symbol, Interval]
Point = dict[Symbol, Fraction]


@dataclass(frozen=True)
class Decision:
    """Whether an inequality holds: status, method and, where it is refuted, a counterexample."""

    status: Status
    method: str = ""
    point: Point = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.status == "proved"


def prove(
    expr: FracElement,
    box: Box,
    constraints: Sequence[PolyElement] = (),
    strict: bool = False,
    most: int = MOST_BOXES,
) -> Decision:
    """Decide whether expr >= 0, or > 0 where ``strict``, on a box where all constraints are >= 0.

    Parameters
    ----------
    expr
        A rational function with rational coefficients, of ``sympy.field``.
    box
        The interval of each of its letters.
    constraints
        Polynomials of the same letters.
    strict
        Whether expr > 0 is to be decided, in place of expr >= 0.
    most
        Boxes that the exact method looks at before it gives up.

    Examples
    --------
    >>> from sympy import QQ, field
    >>> K, x = field("x", QQ)
    >>> prove(1 - x * (2 - x), {Symbol("x"): Interval.of(0, 1)}).status
    'proved'
    >>> prove(x - x**2 - QQ(1, 5), {Symbol("x"): Interval.of(0, 1)}).point
    {x: Fraction(0, 1)}
    """
    sign = 1
    constant, factors = factor(expr.denom)
    for each, power in factors:
        side = _strict_sign(each, box, constraints)
        if side == 0:
            return Decision("unknown", f"the denominator {each.as_expr()} may vanish")
        sign *= side**power
    sign *= 1 if constant > 0 else -1
    return _prove_polynomial(sign * expr.numer, box, constraints, strict, most)


@lru_cache(maxsize=10_000)
def factor(poly: PolyElement) -> tuple[Any, tuple[tuple[PolyElement, int], ...]]:
    """Return the constant of a polynomial and its irreducible factors with their powers."""
    if poly.is_ground:
        return poly.LC, ()
    constant, factors = poly.factor_list()
    return constant, tuple(factors)


def quick_sign(poly: PolyElement, box: Box) -> int:
    """Return 1 or -1 where the coefficients alone show that a polynomial has that sign, else 0."""
    constant, factors = factor(poly)
    result = 1 if constant > 0 else -1
    for each, power in factors:
        sides = (s for s in (1, -1) if _by_coefficients(s * each, box, (), True, 1))
        result *= next(sides, 0) ** power
    return result


def shown_by_coefficients(expr: FracElement, box: Box, strict: bool = False) -> bool:
    """Whether the coefficients of a rational function alone show that it is >= 0, or > 0, on a box."""
    if not expr:
        return not strict
    sign = quick_sign(expr.denom, box)
    return bool(sign) and bool(_by_coefficients(sign * expr.numer, box, (), strict, 1))


def _strict_sign(poly: PolyElement, box: Box, constraints: Sequence[PolyElement]) -> int:
    """Return 1 or -1 where the polynomial is positive or negative, and 0 where neither is proved."""
    for sign in (1, -1):
        if _by_coefficients(sign * poly, box, (), True, 1).status == "proved":
            return sign
    return next((s for s in (1, -1) if _prove_polynomial(s * poly, box, constraints, True)), 0)


def _prove_polynomial(
    poly: PolyElement, box: Box, constraints: Sequence[PolyElement], strict: bool, most: int = MOST_BOXES
) -> Decision:
    if poly == 0:
        return Decision("refuted", "0 > 0") if strict else Decision("proved", "exact")
    first = _by_coefficients(poly, box, (), strict, 1)
    if first:
        return first
    point = _sampled_counterexample(poly, box, constraints, strict)
    if point is not None:
        return Decision("refuted", "exact", point)
    if not constraints and len(poly) <= 400:
        constant, factors = factor(poly)
        signs = [_factor_sign(each, power, box, strict) for each, power in factors]
        if len(signs) > 1 and prod(signs) * (1 if constant > 0 else -1) > 0:
            return Decision("proved", "exact")
    if constraints:
        poly = _without_signed_factors(poly, box)
        quick = _by_coefficients(poly, box, constraints, strict, min(most, FEW_BOXES))
        decided = _by_solver(poly, box, constraints, strict) if quick.status == "unknown" else quick
        if decided.status != "unknown":
            return decided
    second = _by_coefficients(poly, box, constraints, strict, most)
    if second.status != "unknown" or constraints:
        return second
    return _by_solver(poly, box, constraints, strict)


def _sampled_counterexample(
    poly: PolyElement, box: Box, constraints: Sequence[PolyElement], strict: bool
) -> Point | None:
    """Return the simplest of some points of the box at which the inequality fails; None where none does.

    Floating point numbers choose the points to try; exact arithmetic decides.
    """
    letters = [
        letter
        for place, letter in enumerate(poly.ring.symbols)
        if letter in box and any(each.degree(place) > 0 for each in (poly, *constraints))
    ]
    if not letters:
        return None
    random = np.random.default_rng(0)
    levels = [_simple_values(box[letter]) for letter in letters]
    chosen = [random.integers(len(values), size=_SAMPLE) for values in levels]
    points = {
        letter: np.array([float(value) for value in values])[places]
        for letter, values, places in zip(letters, levels, chosen, strict=True)
    }
    with np.errstate(over="ignore", invalid="ignore"):
        value, size = _in_floats(poly, points)
        fails = value < -_ROUNDING * size
        for constraint in constraints:
            fails &= _in_floats(constraint, points)[0] >= 0
    digits = np.zeros(_SAMPLE)
    for values, places in zip(levels, chosen, strict=True):
        sizes = [value.numerator.bit_length() + value.denominator.bit_length() for value in values]
        digits += np.array(sizes)[places]
    failing = np.flatnonzero(fails)
    for k in failing[np.argsort(digits[failing], kind="stable")][:_TRIED]:
        point = {
            letter: values[places[k]] for letter, values, places in zip(letters, levels, chosen, strict=True)
        }
        if _fails(poly, constraints, strict, point):
            return point
    return None


def _simple_values(interval: Interval) -> list[Fraction]:
    """Return some values of an interval, few digits each, near its ends and between."""
    if interval.upper is None:
        steps = [Fraction(k) for k in (0, 1, 2, 5, 10, 100, 1000)] + [Fraction(1, k) for k in (2, 10, 100)]
        values = [interval.lower + step for step in steps]
    else:
        shares = [Fraction(k, 8) for k in range(9)] + [Fraction(1, 100), Fraction(1, 1000), Fraction(99, 100)]
        values = [interval.lower + share * (interval.upper - interval.lower) for share in shares]
    return [value for value in values if not (interval.open and value == interval.lower)]


def _in_floats(poly: PolyElement, points: Mapping[Symbol, Tensor]) -> tuple[Tensor, Tensor]:
    """Return the values of a polynomial at points in floats, and the sums of its terms in size."""
    columns = [points.get(letter) for letter in poly.ring.symbols]
    powers = [
        None if column is None else column ** np.arange(poly.degree(place) + 1)[:, None]
        for place, column in enumerate(columns)
    ]
    value = size = np.zeros(len(next(iter(points.values()), [0])))
    for exponents, coefficient in poly.terms():
        term = np.full(len(value), float(coefficient))
        for table, exponent in zip(powers, exponents, strict=True):
            if exponent and table is not None:
                term = term * table[exponent]
        value, size = value + term, size + np.abs(term)
    return value, size


def _without_signed_factors(poly: PolyElement, box: Box) -> PolyElement:
    """Divide by the absolute values of factors that do not vanish on the box."""
    constant, factors = factor(poly)
    rest = poly.ring.one if constant > 0 else -poly.ring.one
    for each, power in factors:
        side = _factor_sign(each, power, box, True)
        rest = rest * side if side else rest * each**power
    return rest


def _factor_sign(poly: PolyElement, power: int, box: Box, strict: bool) -> int:
    if power % 2 == 0 and not strict:
        return 1
    for sign in (1, -1):
        if _by_coefficients(sign * poly, box, (), strict, 30):
            return -1 if sign < 0 and power % 2 else 1
    return 0


# The exact method


def _by_coefficients(
    poly: PolyElement, box: Box, constraints: Sequence[PolyElement], strict: bool, most: int
) -> Decision:
    poly = _without_positive_monomial(poly, box)
    letters = [
        letter
        for place, letter in enumerate(poly.ring.symbols)
        if any(p.degree(place) > 0 for p in (poly, *constraints))
    ]
    missing = [letter for letter in letters if letter not in box]
    if missing:
        raise BoundkitError(f"the letter {missing[0]} has no interval in this proof.")
    intervals = [box[letter] for letter in letters]
    tensors = [_bernstein(p, letters, intervals) for p in (poly, *constraints)]
    stack = [(tensors, [(Fraction(0), Fraction(1))] * len(letters))]
    visited = 0
    while stack:
        (form, *others), place = stack.pop()
        visited += 1
        if any(np.all(other < 0) for other in others):
            continue
        if _is_positive(form, intervals, place) if strict else np.all(form >= 0):
            continue
        if most > 1:
            point = _counterexample(form, place, letters, intervals, poly, constraints, strict)
            if point is not None:
                return Decision("refuted", "exact", point)
        if visited >= most:
            return Decision("unknown", "exact")
        axis = _axis_to_halve(form, place)
        if axis is None:
            axis = max(range(len(place)), key=lambda k: place[k][1] - place[k][0], default=None)
            if axis is None:
                return Decision("unknown", "exact")
        middle = (place[axis][0] + place[axis][1]) / 2
        for side, ends in ((1, (middle, place[axis][1])), (0, (place[axis][0], middle))):
            halves = [_halve(tensor, axis, side) for tensor in (form, *others)]
            stack.append((halves, [*place[:axis], ends, *place[axis + 1 :]]))
    return Decision("proved", "exact")


def _without_positive_monomial(poly: PolyElement, box: Box) -> PolyElement:
    """Divide by the powers of letters that are positive in the box."""
    least = [min(powers) for powers in zip(*poly.monoms(), strict=True)]
    for place, letter in enumerate(poly.ring.symbols):
        interval = box.get(letter)
        positive = interval is not None and (interval.lower > 0 or (interval.lower == 0 and interval.open))
        least[place] = least[place] if positive else 0
    if not any(least):
        return poly
    return poly.ring.from_dict({
        tuple(k - j for k, j in zip(powers, least, strict=True)): value for powers, value in poly.terms()
    })  # fmt: skip


def _bernstein(poly: PolyElement, letters: Sequence[Symbol], intervals: Sequence[Interval]) -> Tensor:
    """Return the coefficients of t^j (1 - t)^(d - j), up to a positive factor, as whole numbers."""
    places = [poly.ring.symbols.index(letter) for letter in letters]
    degrees = [max((powers[place] for powers in poly.monoms()), default=0) for place in places]
    scale = lcm(*(int(value.denominator) for value in poly.coeffs()), 1)
    result: Tensor = np.zeros([d + 1 for d in degrees], dtype=object)
    for powers, value in poly.terms():
        result[tuple(powers[place] for place in places)] += int(value * scale)
    for axis, (degree, interval) in enumerate(zip(degrees, intervals, strict=True)):
        if degree:
            result = _apply(_change_of_basis(degree, interval), result, axis)
    return result


def _apply(matrix: Tensor, tensor: Tensor, axis: int) -> Tensor:
    return np.moveaxis(np.tensordot(tensor, matrix, axes=(axis, 0)), -1, axis)


@lru_cache(maxsize=1000)
def _change_of_basis(degree: int, interval: Interval) -> Tensor:
    """Return row k: the coefficients of x^k, as whole numbers after a common factor."""
    low, high = interval.lower, interval.upper
    rows = []
    for k in range(degree + 1):
        if high is None:  # x = low + t/s: x^k s^d = (low s + t)^k s^(d-k)
            factors = [(low, Fraction(1))] * k + [(Fraction(1), Fraction(0))] * (degree - k)
        else:  # x = low s + high t, 1 = s + t
            factors = [(low, high)] * k + [(Fraction(1), Fraction(1))] * (degree - k)
        rows.append(_expand(factors))
    scale = lcm(*(value.denominator for row in rows for value in row))
    return np.array([[int(value * scale) for value in row] for row in rows], dtype=object)


def _expand(factors: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Return the coefficients of t^j in the product of s a + t b over all (a, b)."""
    result: list[Any] = [1]
    for a, b in factors:
        result = [
            a * (result[j] if j < len(result) else 0) + b * (result[j - 1] if j else 0)
            for j in range(len(result) + 1)
        ]
    return result


@lru_cache(maxsize=1000)
def _halving(degree: int, side: int) -> Tensor:
    """Return row j: t^j s^(d-j) in the coordinates of a half."""
    # left: t = t'/2, s = s' + t'/2; right: t = (s' + 2 t')/2 with s' = 1 - t', s = s'/2
    t, s = ((0, 1), (2, 1)) if side == 0 else ((1, 2), (1, 0))
    rows = [_expand([t] * j + [s] * (degree - j)) for j in range(degree + 1)]
    return np.array(rows, dtype=object)


def _halve(tensor: Tensor, axis: int, side: int) -> Tensor:
    degree = tensor.shape[axis] - 1
    return _apply(_halving(degree, side), tensor, axis) if degree else tensor


def _axis_to_halve(form: Tensor, place: Sequence[tuple[Fraction, Fraction]]) -> int | None:
    """Return the axis along which the normalised coefficients vary most."""
    best, result = Fraction(0), None
    for axis, length in enumerate(form.shape):
        if length == 1:
            continue
        ways = [comb(length - 1, j) for j in range(length)]
        scale = lcm(*ways)
        shape = [1] * form.ndim
        shape[axis] = length
        weights = np.array([scale // each for each in ways], dtype=object).reshape(shape)
        variation = Fraction(int(np.abs(np.diff(form * weights, axis=axis)).max()), scale)
        width = place[axis][1] - place[axis][0]
        if variation > best or (variation == best and width > 0):
            best, result = variation, axis
    return result


def _is_positive(form: Tensor, intervals: Sequence[Interval], place: Sequence[tuple[Any, Any]]) -> bool:
    """Whether no coefficient is negative and those of all corners that count are positive."""
    if not np.all(form >= 0):
        return False
    choices: list[tuple[int, ...]] = []
    for length, interval, (low, high) in zip(form.shape, intervals, place, strict=True):
        left, right = 0, length - 1
        if interval.upper is None and high == 1:
            choices.append((left,))
        elif interval.open and low == 0:
            choices.append((right,))
        else:
            choices.append((left, right))
    return all(form[corner] > 0 for corner in product(*choices))


def _counterexample(
    form: Tensor,
    place: Sequence[tuple[Fraction, Fraction]],
    letters: Sequence[Symbol],
    intervals: Sequence[Interval],
    poly: PolyElement,
    constraints: Sequence[PolyElement],
    strict: bool,
) -> Point | None:
    """Return a point of the box at which the inequality fails, near a corner whose value is negative.

    Floating point numbers choose the points to try; exact arithmetic decides.
    """
    ends = [(0, length - 1) if length > 1 else (0,) for length in form.shape]
    corners = [corner for corner in product(*ends) if form[corner] < 0 or (strict and form[corner] == 0)]
    if not corners:
        return None
    tried = [
        (
            [low if index == 0 else high for index, (low, high) in zip(corner, place, strict=True)],
            share,
        )
        for corner in corners
        for share in _SHARES
    ]
    middle = np.array([float(low + high) / 2 for low, high in place])
    at = np.array([[float(each) for each in end] for end, _ in tried]).reshape(len(tried), len(letters))
    shares = np.array([float(share) for _, share in tried])[:, None]
    with np.errstate(all="ignore"):
        points = {
            letter: float(interval.lower)
            + (t / (1 - t) if interval.upper is None else t * float(interval.upper - interval.lower))
            for letter, interval, t in zip(letters, intervals, (at + shares * (middle - at)).T, strict=True)
        }
        value, size = _in_floats(poly, points)
        near = value <= _ROUNDING * size
        for letter, interval in zip(letters, intervals, strict=True):
            near &= points[letter] > float(interval.lower) if interval.open else True
        for constraint in constraints:
            value, size = _in_floats(constraint, points)
            near &= value >= -_ROUNDING * size
    for k in np.flatnonzero(near)[:_TRIED]:
        ends_of, share = tried[k]
        point = _point_at(ends_of, share, place, letters, intervals)
        if point is not None and _fails(poly, constraints, strict, point):
            return point
    return None


def _point_at(
    ends: Sequence[Fraction],
    share: Fraction,
    place: Sequence[tuple[Fraction, Fraction]],
    letters: Sequence[Symbol],
    intervals: Sequence[Interval],
) -> Point | None:
    """Return a point between a corner and the middle of a box; None where it is outside the domain."""
    point: Point = {}
    for letter, interval, end, (low, high) in zip(letters, intervals, ends, place, strict=True):
        t = end + share * ((low + high) / 2 - end)
        if interval.upper is None and t == 1:
            return None
        step = t / (1 - t) if interval.upper is None else t * (interval.upper - interval.lower)
        if interval.open and step == 0:
            return None
        point[letter] = interval.lower + step
    return point


def _fails(poly: PolyElement, constraints: Sequence[PolyElement], strict: bool, point: Point) -> bool:
    value = evaluate(poly, point)
    return (value < 0 or (strict and value == 0)) and all(evaluate(c, point) >= 0 for c in constraints)


def evaluate(poly: PolyElement, point: Mapping[Symbol, Fraction]) -> Fraction:
    """Return the value of a polynomial at a point that gives all its letters a value."""
    total = Fraction(0)
    for powers, value in poly.terms():
        term = Fraction(int(value.numerator), int(value.denominator))
        for letter, power in zip(poly.ring.symbols, powers, strict=True):
            if power:
                term *= point[letter] ** power
        total += term
    return total


# z3


def _by_solver(poly: PolyElement, box: Box, constraints: Sequence[PolyElement], strict: bool) -> Decision:
    try:
        import z3  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return Decision("unknown", "z3 is missing")
    poly = _without_positive_monomial(poly, box)
    used = [
        letter
        for place, letter in enumerate(poly.ring.symbols)
        if any(p.degree(place) > 0 for p in (poly, *constraints))
    ]
    reals = {letter: z3.Real(f"v{place}") for place, letter in enumerate(used)}
    solver = z3.Solver()
    solver.set("timeout", int(1000 * SECONDS))
    solver.set("rlimit", _effort.get())
    for letter in used:
        interval = box[letter]
        low = _rational(z3, interval.lower)
        solver.add(reals[letter] > low if interval.open else reals[letter] >= low)
        if interval.upper is not None:
            solver.add(reals[letter] <= _rational(z3, interval.upper))
    for constraint in constraints:
        solver.add(_translate(z3, constraint, reals) >= 0)
    negated = _translate(z3, poly, reals)
    solver.add(negated <= 0 if strict else negated < 0)
    answer = solver.check()
    if answer == z3.unsat:
        return Decision("proved", "z3")
    if answer != z3.sat:
        return Decision("unknown", "z3 gives up")
    model = solver.model()
    point = {letter: _value(z3, model.eval(real, model_completion=True)) for letter, real in reals.items()}
    return Decision("refuted", "z3", point)


def _translate(z3: Any, poly: PolyElement, reals: Mapping[Symbol, Any]) -> Any:
    terms = []
    for powers, value in poly.terms():
        factors = [_rational(z3, Fraction(int(value.numerator), int(value.denominator)))]
        for letter, power in zip(poly.ring.symbols, powers, strict=True):
            if power:
                factors += [reals[letter]] * power
        terms.append(prod(factors[1:], start=factors[0]))
    return z3.Sum(terms)


def _rational(z3: Any, value: Fraction) -> Any:
    return z3.RealVal(f"{value.numerator}/{value.denominator}")


def _value(z3: Any, value: Any) -> Fraction:
    if z3.is_algebraic_value(value):
        value = value.approx(30)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def _fraction(value: Any) -> Fraction:
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, Expr) and value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    raise BoundkitError(f"{value} is no rational number; the end of an interval must be one.")
