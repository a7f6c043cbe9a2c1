"""Change of the bound at its best eta, under the conditions, with one quantity.

Three arguments, the simplest first.

Exchange: write eta = s q^(-a). If the bound is monotone in q for every s, and the conditions admit
more (or fewer) s, then the minimum over s is monotone. This needs no derivative and no best eta.

Envelope: in the interior of the conditions the derivative in eta is 0, so that the tuned bound changes as
the bound does at fixed eta. Some quantity z enters both slopes by one and the same power (T by T^-1, from the
initial gap), so that the slope in eta gives z^p, and its substitution into the other slope gives S(eta), free
of z, with the sign of the change. S of one sign decides. Where S changes its sign at some eta_b, the best eta
is below eta_b exactly where the slope in eta is positive there: a condition on z.

Where a condition binds, eta is replaced by its limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from sympy import Add, Expr, Ge, Gt, Le, Lt, Min, Rational, S, Symbol, cancel, expand, powsimp
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import Array, evaluate
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet, Sample, smallest_limit
from boundkit.analysis.sensitivity.change import (
    EFFECT_OF_DIRECTION,
    REVERSED,
    Direction,
    change,
    direction,
    direction_of_sum,
    effect_of_signs,
    points_in,
    reason,
)
from boundkit.analysis.sensitivity.context import SensitivityContext
from boundkit.analysis.sensitivity.result import EFFECT_OF_SIGN, Effect, Region, merged
from boundkit.analysis.sensitivity.signs import (
    SOLVED_FOR,
    coefficients_by_part,
    negative_condition,
    nonnegative_condition,
    over_common_denominator,
    sign,
    tidy,
)

ETA_B, ETA_MAX = Symbol("eta_b", positive=True), Symbol("eta_max", positive=True)
"""The step at which S changes its sign, and the largest admissible one."""
LONGEST = 1000
"""Operations of a coefficient of unknown sign: multiplied out for a condition, a longer one has no end."""


@dataclass(frozen=True)
class Slopes:
    """The slope in eta, rest + falling z^power, and S.

    ``rest`` is nonnegative and ``falling`` nonpositive, as the slopes of growing and of decreasing terms.
    """

    z: Symbol
    power: Rational
    falling: Expr
    rest: Expr
    left: Expr

    def regions(self, where: AdmissibleSet) -> list[Region] | None:
        """The effect in the interior, by the signs of the powers of eta in S; None for more than two."""
        parts = powers(self.left, eta)
        if parts is None:
            return None
        result = [(q, over_common_denominator(expand(c))) for q, c in sorted(parts.items())]
        kept = [c for _, c in result if c != 0]
        if not kept:
            return [Region("no effect", ())]
        signs = [sign(c, where) for c in kept]
        known = {s for s in signs if s != 0}
        if len(known) <= 1 and None not in known:
            return [Region(EFFECT_OF_SIGN[known.pop() if known else 0], ())]
        if len(kept) != 2 or signs.count(None) == 2:
            return None
        if any(s is None and c.count_ops() > LONGEST for c, s in zip(kept, signs, strict=True)):
            return None
        low_power, high_power = (q for q, c in result if c != 0)
        return self._split(kept[0], kept[1], high_power - low_power, (signs[0], signs[1]))

    def _split(
        self, low: Expr, high: Expr, apart: Rational, signs: tuple[int | None, int | None]
    ) -> list[Region]:
        result: list[Region] = []
        for low_sign in (signs[0],) if signs[0] is not None else (1, -1):
            for high_sign in (signs[1],) if signs[1] is not None else (1, -1):
                assumed = [
                    nonnegative_condition(part) if one > 0 else negative_condition(part)
                    for part, one, known in ((low, low_sign, signs[0]), (high, high_sign, signs[1]))
                    if known is None
                ]
                if low_sign * high_sign >= 0:
                    result.append(Region(EFFECT_OF_SIGN[low_sign or high_sign], tuple(assumed)))
                    continue
                edge = tidy((-low / high) ** (1 / apart))
                # Beyond eta_max a contraction 1 - mu s/2 may be negative, and its slope means nothing.
                lets = ((ETA_B, edge if self.plain else Min(edge, ETA_MAX)),)
                result.append(Region(EFFECT_OF_SIGN[low_sign], (*assumed, self.below(ETA_B)), lets=lets))
                result.append(Region(EFFECT_OF_SIGN[high_sign], (*assumed, self.not_below(ETA_B)), lets=lets))
        return result

    @property
    def plain(self) -> bool:
        """Whether the falling slope is a power of eta."""
        return monomial(self.falling, eta) is not None

    def below(self, step: Symbol) -> Relational:
        """The best eta is below the step, as a condition on z."""
        return (Gt if self.power < 0 else Lt)(self.z, self._edge(step), evaluate=False)

    def not_below(self, step: Symbol) -> Relational:
        """The best eta is not below the step."""
        return (Le if self.power < 0 else Ge)(self.z, self._edge(step), evaluate=False)

    def _edge(self, step: Symbol) -> Expr:
        ratio = (-self.rest / self.falling).xreplace({eta: step})
        return tidy(powsimp(ratio ** (1 / self.power)))


def slopes(context: SensitivityContext, quantity: Quantity) -> Slopes | None:
    """The slopes with z eliminated; None where no quantity enters both by one power."""
    total = list(context.terms.values())
    in_eta, in_quantity = Add(*(e.diff(eta) for e in total)), Add(*(e.diff(quantity) for e in total))
    for z in _candidates(in_eta, quantity):
        ours, theirs = coefficients_by_part(in_eta, z), coefficients_by_part(in_quantity, z)
        if ours is None or theirs is None:
            continue
        one = _power(ours, theirs)
        if one is None:
            continue
        falling, rest = ours[one], ours.get(S.Zero, S.Zero)
        if sign(falling, context.admissible) != -1 or sign(rest, context.admissible) != 1:
            continue
        ratio = cancel(powsimp(theirs.get(one, S.Zero) / falling))
        left = theirs.get(S.Zero, S.Zero) - ratio * rest
        return Slopes(z, one, falling, rest, left)
    return None


def _candidates(expr: Expr, quantity: Quantity) -> list[Symbol]:
    known = {str(s): s for s in expr.free_symbols if s not in (eta, quantity)}
    return [known[n] for n in [*(n for n in SOLVED_FOR if n in known), *sorted(set(known) - set(SOLVED_FOR))]]


def _power(ours: Mapping[Rational, Expr], theirs: Mapping[Rational, Expr]) -> Rational | None:
    moving = [p for p, c in ours.items() if p != 0 and c != 0]
    if len(moving) != 1 or any(p not in (0, moving[0]) for p, c in theirs.items() if c != 0):
        return None
    return moving[0]


ENVELOPE = (
    "inside its condition the best eta lets the bound change as at fixed eta (envelope); "
    "where a condition binds, its limit is put in"
)
INSIDE = "the best eta is inside its condition"

SMALLEST, CLEAR = 1e-8, 1e-3
"""Smallest elasticity above rounding, and smallest one away from the boundary of a region."""


def tuned_change(context: SensitivityContext, quantity: Quantity) -> Effect:
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


def _exchanged(context: SensitivityContext, quantity: Quantity) -> Effect | None:
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


def _exponents(context: SensitivityContext, quantity: Quantity) -> list[Rational]:
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


def _by_cases(context: SensitivityContext, quantity: Quantity) -> list[Region] | None:
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


def _binding_limits(context: SensitivityContext) -> list[Expr]:
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


def tuned_changes(context: SensitivityContext, quantity: Quantity, values: Mapping[str, Array]) -> Array:
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


def tuned_values(context: SensitivityContext, values: Mapping[str, Array]) -> Array:
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


def _bound(context: SensitivityContext, values: Mapping[str, Array], log_eta: Array) -> Array:
    with np.errstate(all="ignore"):
        at = {**values, eta.name: np.exp(log_eta)}
    total = np.zeros(log_eta.shape)
    for expr in context.terms.values():
        total = total + evaluate(expr, at)
    return np.where(np.isfinite(total), total, np.inf)
