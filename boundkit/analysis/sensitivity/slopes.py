"""Effect in the interior of the conditions, from the slopes of a bound in eta and in one quantity.

At the best eta the slope in eta is 0. Some quantity z enters both slopes by one and the same power (T by
T^-1, from the initial gap), so that the slope in eta gives z^p, and its substitution into the other slope
gives S(eta), free of z, with the sign of the change. S of one sign decides. Where S changes its sign
at some eta_b, the best eta is below eta_b exactly where the slope in eta is positive there: a condition
on z.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Add, Expr, Ge, Gt, Le, Lt, Min, Rational, S, Symbol, cancel, expand, powsimp
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import eta
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet
from boundkit.analysis.sensitivity.context import Context
from boundkit.analysis.sensitivity.result import EFFECT_OF_SIGN, Region
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


def slopes(context: Context, quantity: Quantity) -> Slopes | None:
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
