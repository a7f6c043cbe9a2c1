"""Change of the bound at its best eta, under the conditions, with one quantity.

Three arguments, the simplest first.

Exchange: write eta = s q^(-a). If the bound is monotone in q for every s, and the conditions admit
more (or fewer) s, then the minimum over s is monotone. This needs no derivative and no best eta.

Envelope: in the interior of the conditions the derivative in eta is 0, so that the tuned bound changes as
the bound does at fixed eta. ``slopes`` gives the formulas.

Where a condition binds, eta is replaced by its limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sympy import Add, Expr, Le, Min, Rational, S
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.powers import monomial
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.change import (
    EFFECT_OF_DIRECTION,
    change,
    effect_of_signs,
    points_in,
    reason,
)
from boundkit.analysis.sensitivity.context import Context
from boundkit.analysis.sensitivity.direction import REVERSED, Direction, direction, direction_of_sum
from boundkit.analysis.sensitivity.result import Effect, Region, merged
from boundkit.analysis.sensitivity.sampling import Array, Sample, sides, smallest_limit
from boundkit.analysis.sensitivity.signs import sign
from boundkit.analysis.sensitivity.slopes import ETA_MAX, slopes

ENVELOPE = (
    "inside its condition the best eta lets the bound change as at fixed eta (envelope); "
    "where a condition binds, its limit is put in"
)
INSIDE = "the best eta is inside its condition"

SMALLEST, CLEAR = 1e-8, 1e-3
"""Smallest elasticity above rounding, and smallest one away from the boundary of a region."""


def tuned_change(context: Context, quantity: Quantity) -> Effect:
    """The effect of a larger quantity on the bound at its best eta."""
    simple = _exchanged(context, quantity)
    if simple is not None:
        return simple
    points = context.sample
    changes = tuned_changes(context, quantity, points.values)
    regions = _by_cases(context, quantity)
    if regions is not None and _agree(regions, changes, points):
        word, kept = merged(regions)
        return Effect(word, ENVELOPE, True, kept)
    return effect_of_signs(np.where(np.abs(changes) > SMALLEST, np.sign(changes), 0.0), points)


def _exchanged(context: Context, quantity: Quantity) -> Effect | None:
    for power in _exponents(context, quantity):
        moved = context.with_exchanged_step(quantity, power)
        result = {label: direction(e, quantity, moved.admissible) for label, e in moved.terms.items()}
        whole = direction_of_sum(list(result.values()))
        if whole is None:
            continue
        limiting = [c for c in moved.conditions if eta in c.free_symbols]
        of_limits = direction_of_sum([_limit_direction(c, quantity, moved.admissible) for c in limiting])
        moves = None if of_limits is None else direction_of_sum([whole, REVERSED[of_limits]])
        if moves is None:
            continue
        how = "" if power == 0 else f" at fixed eta*{plain(quantity**power)}"
        limits = {"up": "; the conditions let in larger steps", "down": "; the conditions let in fewer steps"}
        because = f"for every eta{how}: {reason(result)}{limits.get(str(of_limits), '')}"
        return Effect(EFFECT_OF_DIRECTION[moves], because)
    return None


def _limit_direction(condition: Relational, quantity: Quantity, where: AdmissibleSet) -> Direction | None:
    """Whether the condition admits more ("up") or fewer ("down") steps as the quantity grows."""
    small, large = sides(condition)
    if sign(small, where) == 1 and sign(large, where) == 1:
        return direction(large / small, quantity, where)  # common factors cancel
    needs, gives = direction(small, quantity, where), direction(large, quantity, where)
    return None if needs is None else direction_of_sum([REVERSED[needs], gives])


def _exponents(context: Context, quantity: Quantity) -> list[Rational]:
    """Powers a for which eta = s q^-a removes the quantity from some term or limit; 0 first."""
    result: list[Rational] = [S.Zero]
    for expr in context.terms.values():
        for part in Add.make_args(expr):
            step, moved = monomial(part, eta), monomial(part, quantity)
            if step is not None and moved is not None and step[1] != 0:
                result.append(moved[1] / step[1])
    for limit in context.limits:
        one = monomial(limit, quantity)
        if one is not None:
            result.append(-one[1])
    return list(dict.fromkeys(result))


def _by_cases(context: Context, quantity: Quantity) -> list[Region] | None:
    """The regions in the interior of the conditions and at each limit; None without formulas."""
    result = slopes(context, quantity)
    inside = None if result is None else result.regions(context.admissible)
    if result is None or inside is None:
        return None
    limits = _binding_limits(context)
    if not limits:
        return inside
    lets = ((ETA_MAX, limits[0] if len(limits) == 1 else Min(*limits, evaluate=False)),)
    free = (result.below(ETA_MAX),)
    regions = [replace(r, case=INSIDE, within=free, lets=(*lets, *r.lets)) for r in inside]
    for limit in limits:
        at = context.under({eta: limit})
        if not at.sample.size:
            continue  # another condition is the sharper one at every point
        effect = change(at.terms, quantity, at.admissible, at.sample)
        if not effect.exact:
            return None
        others = tuple(Le(limit, other, evaluate=False) for other in limits if other != limit)
        case = f"the condition eta <= {plain(limit)} binds"
        within = (result.not_below(ETA_MAX), *others)
        parts = effect.regions or (Region(effect.word, ()),)
        regions += [replace(r, case=case, within=within, lets=lets) for r in parts]
    return regions


def _binding_limits(context: Context) -> list[Expr]:
    """The limits of eta that are not always above another one."""
    kept: list[Expr] = []
    for place, limit in enumerate(context.limits):
        others = [*kept, *context.limits[place + 1 :]]
        if not any(sign(1 - (other / limit) ** 2, context.admissible) in (0, 1) for other in others):
            kept.append(limit)
    return kept


def _agree(regions: list[Region], changes: Array, points: Sample) -> bool:
    """Whether the regions cover the points of the sample and agree with the numerical signs."""
    clear = np.abs(changes) > CLEAR
    covered = ~clear
    for region in regions:
        inside = points_in(region, points)
        wanted = {"worse": 1.0, "better": -1.0, "no effect": 0.0}[region.effect]
        if (inside & clear & (np.sign(changes) != wanted)).any():
            return False
        covered |= inside
    return bool(clear.any() and covered.all())


STEP_DECADES, GRID, GOLDEN_SECTIONS = 16.0, 161, 90
"""Decades of the search for the step below its limit, points of the first grid, and golden sections."""

NUDGE = 1e-4
"""Relative change of a quantity for a difference quotient."""


def tuned_changes(context: Context, quantity: Quantity, values: Mapping[str, Array]) -> Array:
    """The relative change of the tuned bound per relative change of the quantity, at every point.

    nan where the bound is not finite.
    """
    at = {n: v for n, v in values.items() if n != eta.name}
    here = tuned_values(context, at)
    old = at[quantity.name]
    way = -1.0 if np.isfinite(quantity.domain.upper) else 1.0
    step = way * NUDGE * np.where(old > 0, old, max(float(quantity.typical), 1.0))
    there = tuned_values(context, {**at, quantity.name: old + step})
    with np.errstate(all="ignore"):
        change = (there - here) / here / NUDGE * way
    return np.where(np.isfinite(change), change, np.nan)


def tuned_values(context: Context, values: Mapping[str, Array]) -> Array:
    """The least bound over eta inside its limits, at every point: a grid of log eta, then golden sections."""
    size = next(iter(values.values())).size if values else 1
    top = np.log(np.minimum(smallest_limit(context.limits, values, size), 10.0 ** (STEP_DECADES / 2)))
    grid = top[:, None] - np.linspace(0, STEP_DECADES * np.log(10), GRID)
    place = np.argmin(_bound(context, {n: v[:, None] for n, v in values.items()}, grid), axis=1)
    rows = np.arange(size)
    high = grid[rows, np.maximum(place - 1, 0)]
    low = grid[rows, np.minimum(place + 1, GRID - 1)]
    ratio = (np.sqrt(5) - 1) / 2
    for _ in range(GOLDEN_SECTIONS):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        lower = _bound(context, values, left) < _bound(context, values, right)
        high, low = np.where(lower, right, high), np.where(lower, low, left)
    best = np.minimum(_bound(context, values, (low + high) / 2), _bound(context, values, top))
    return np.asarray(best)


def _bound(context: Context, values: Mapping[str, Array], log_eta: Array) -> Array:
    with np.errstate(all="ignore"):
        at = {**values, eta.name: np.exp(log_eta)}
    total = np.zeros(log_eta.shape)
    for expr in context.terms.values():
        total = total + evaluate(expr, at)
    return np.where(np.isfinite(total), total, np.inf)
