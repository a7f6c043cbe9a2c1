"""Change of a bound with one quantity, all others fixed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Symbol

from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.direction import Direction, direction, direction_of_sum
from boundkit.analysis.sensitivity.result import EFFECT_OF_SIGN, Effect, Region, Word, merged
from boundkit.analysis.sensitivity.sampling import Array, Sample, met
from boundkit.analysis.sensitivity.signs import sign, sign_regions, values_and_magnitudes
from boundkit.report.formatting import join_names

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
