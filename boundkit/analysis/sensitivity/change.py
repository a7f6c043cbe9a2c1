"""Change of a bound with one quantity, all others fixed: its direction, and where that depends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Function, Max, Min, Mul, Pow, Symbol, exp, harmonic, log

from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, Array, evaluate
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet, Sample, met
from boundkit.analysis.sensitivity.result import EFFECT_OF_SIGN, Effect, Region, Word, merged
from boundkit.analysis.sensitivity.signs import sign, sign_regions, values_and_magnitudes
from boundkit.report.formatting import join_names

Direction = Literal["up", "down", "none"]

REVERSED: dict[str, Direction] = {"up": "down", "down": "up", "none": "none"}
_RISING = (exp, log, harmonic, Min, Max)
"""Functions that increase in every argument; others have an attribute ``rises``."""


def direction(expr: Expr, symbol: Symbol, where: AdmissibleSet) -> Direction | None:
    """ "up" for nondecreasing in the symbol, "down" for nonincreasing, None where neither is proved.

    First by the rules for products, powers and sums, then by the sign of the derivative.

    >>> from boundkit.algebra.notation import C, m, tau
    >>> from boundkit.analysis.sensitivity.admissible_set import admissible_set
    >>> from boundkit.analysis.sensitivity.admissible_set import sample
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


EFFECT_OF_DIRECTION: dict[Direction | None, Word] = {"up": "worse", "down": "better", "none": "no effect"}


def change(terms: Mapping[str, Expr], quantity: Symbol, where: AdmissibleSet, points: Sample) -> Effect:
    """The effect of a larger quantity on the sum of the terms.

    By the directions of the terms, if they agree; by the sign of the derivative; by a formula for its sign
    change, verified numerically; and numerically where all of these fail.
    """
    result = {label: direction(expr, quantity, where) for label, expr in terms.items()}
    whole = direction_of_sum(list(result.values()))
    if whole is not None:
        return Effect(EFFECT_OF_DIRECTION[whole], reason(result))
    slope = Add(*terms.values()).diff(quantity)
    definite = sign(slope, where)
    if definite is not None:
        return Effect(EFFECT_OF_SIGN[definite], "the derivative has one sign for all admissible values")
    signed = sign_regions(slope, quantity, where)
    if signed is not None:
        regions = [Region(EFFECT_OF_SIGN[s], places) for s, places in signed]
        if matches_sample(regions, slope, points):
            word, kept = merged(regions)
            return Effect(word, f"the derivative changes its sign: {reason(result)}", True, kept)
    return numerical_effect(slope, points, reason(result))


def reason(result: Mapping[str, Direction | None]) -> str:
    """The directions of the terms as text."""
    parts = []
    for way, verb in (("up", "grow"), ("down", "fall"), (None, "turn")):
        labels = [label for label, one in result.items() if one == way]
        if labels:
            parts.append(f"{join_names(labels)} {verb}{'s' * (len(labels) == 1)}")
    return "; ".join(parts) or "it enters no term"


def matches_sample(regions: list[Region], slope: Expr, points: Sample) -> bool:
    """Whether the slope has the sign of the regions at every point of the sample."""
    if not points.size:
        return False
    value, magnitude = values_and_magnitudes(slope, points)
    covered = np.zeros(points.size, dtype=bool)
    for region in regions:
        inside = points_in(region, points)
        wanted = {"worse": 1.0, "better": -1.0, "no effect": 0.0}[region.effect]
        wrong = inside & (np.sign(value) != wanted) & (np.abs(value) > 1e-9 * magnitude)
        if wrong.any():
            return False
        covered |= inside
    return bool(covered.all())


def points_in(region: Region, points: Sample) -> NDArray[np.bool_]:
    """The points of the sample at which all conditions of a region hold."""
    inside = np.ones(points.size, dtype=bool)
    values = dict(points.values)
    for letter, expr in region.lets:
        values[letter.name] = np.broadcast_to(evaluate(expr, values), inside.shape)
    for relation in (*region.where, *region.within):
        inside &= met(relation, values, points.size)
    return inside


def numerical_effect(slope: Expr, points: Sample, also: str = "") -> Effect:
    """The effect by the signs of the slope at the points of the sample."""
    if not points.size:
        return Effect("depends", "no admissible point was found", False)
    value, magnitude = values_and_magnitudes(slope, points)
    tiny = np.abs(value) <= RELATIVE_TOLERANCE * magnitude
    return effect_of_signs(np.where(tiny, 0.0, np.sign(value)), points, also)


def effect_of_signs(signs: Array, points: Sample, also: str = "") -> Effect:
    """The effect by the signs at the points of a sample, and the ranges of the sample."""
    up, down = int((signs > 0).sum()), int((signs < 0).sum())
    word: Word = "depends" if up and down else "worse" if up else "better" if down else "no effect"
    share = f": better at {100 * down / points.size:.0f} % of them" if word == "depends" else ""
    because = f"numerically, at {points.size} points over these ranges: {points.ranges}{share}"
    return Effect(word, f"{also}; {because}" if also else because, False)
