"""Convergence rate of a bound with tuned step sizes, compared with catalogued theorems of the same claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Rational, Symbol

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity import complexity
from boundkit.analysis.powers import monomial
from boundkit.report.formatting import format_number

MOST = 4
"""Largest number of theorems in the comparison."""


@dataclass(frozen=True)
class AsymptoticRate:
    """Leading behaviour of a tuned bound for large T: ``bound``, a multiple of T^``power``.

    ``labels``: the terms that determine it; ``rounds``: the leading number of rounds for a target of 1.
    """

    theorem: str
    power: Rational
    bound: Expr
    labels: tuple[str, ...]
    rounds: Expr

    def to_text(self) -> str:
        """Return the rate as a formula, with the terms that determine it."""
        return f"{plain(self.bound)}, by the {' and the '.join(self.labels)}"


@dataclass(frozen=True)
class RateComparison:
    """The rate of another theorem compared with that of this one.

    ``round_ratio``: our rounds over theirs, where that is one product. ``faster``: 1 where our bound falls
    faster, -1 where theirs does, else 0.
    """

    rate: AsymptoticRate
    round_ratio: Expr | None
    faster: int

    def to_text(self, ours: str) -> str:
        """Return the comparison as one sentence; ``ours``: the name of this theorem."""
        name = self.rate.theorem
        if self.faster:
            return f"{ours if self.faster > 0 else name} falls faster: {name} as T^({self.rate.power})"
        if self.round_ratio is None:
            return f"as fast in T as {name}, which has {plain(self.rate.bound)}"
        if self.round_ratio == 1:
            return f"as fast in T as {name}, and as many rounds for a small target"
        ratio = self.round_ratio
        text = format_number(float(ratio)) if ratio.is_number else plain(ratio)
        return f"as fast in T as {name}, with {text} times as many rounds for a small target"


@dataclass(frozen=True)
class Rates:
    """The rate of a theorem (or the reason why it has none), compared with those of others."""

    rate: AsymptoticRate | None
    reason: str
    others: tuple[RateComparison, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON, formulas as plain text."""
        rate = self.rate
        return {
            "power": None if rate is None else str(rate.power),
            "bound": None if rate is None else plain(rate.bound),
            "terms": [] if rate is None else list(rate.labels),
            "reason": self.reason or None,
            "beside": [
                {
                    "theorem": other.rate.theorem,
                    "power": str(other.rate.power),
                    "bound": plain(other.rate.bound),
                    "rounds": None if other.round_ratio is None else plain(other.round_ratio),
                }
                for other in self.others
            ],
        }


def compare_rates(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> Rates:
    """Compare the rate of the tuned bound with those of theorems of the same claim.

    Theorems about the same algorithm are first, then those with the most assumptions in common.
    """
    try:
        ours = tuned_rate(theorem)
    except BoundkitError as error:
        return Rates(None, str(error), ())
    others = [t for t in catalogue.values() if t.claim == theorem.claim and t.name != theorem.name]
    others = [t for t in others if t.kind == "upper"]
    others.sort(key=lambda t: (t.algorithm != theorem.algorithm, -_shared(t, theorem)))
    comparisons: list[RateComparison] = []
    for other in others:
        if len(comparisons) == MOST:
            break
        try:
            theirs = tuned_rate(other)
        except BoundkitError:
            continue
        comparisons.append(_compare(ours, theirs))
    return Rates(ours, "", tuple(comparisons))


def tuned_rate(theorem: Theorem) -> AsymptoticRate:
    """Compute the rate of the bound for large T, with the best step size for each T.

    It follows from the rounds for a target: from the terms that grow fastest as the target decreases. Raises
    BoundkitError where no formula gives them.
    """
    required = complexity(theorem)
    if theorem.claim.summary == "first":
        raise BoundkitError("the theorem bounds the rounds themselves, for a target.")
    if required.floors:
        least = plain(Add(*required.floors.values()))
        raise BoundkitError(f"the {', '.join(required.floors)} stays at {least} for every T and step size.")
    aim = monomial(required.goal, _target(required.goal))
    parts = [(p.label, monomial(p.expr, _target(required.goal))) for p in required.parts]
    if aim is None or any(part is None for _, part in parts):
        raise BoundkitError("the rounds for a target are no power of the target.")
    powers = [(label, -part[1], part[0]) for label, part in parts if part is not None]
    steepest = max(power for _, power, _ in powers)
    if steepest <= 0:
        raise BoundkitError("the bound reaches any target after a fixed number of rounds.")
    leading = [(label, coefficient) for label, power, coefficient in powers if power == steepest]
    rounds = Add(*(coefficient for _, coefficient in leading))
    power = -aim[1] / steepest
    return AsymptoticRate(theorem.name, power, (rounds / T) ** -power, tuple(dict(leading)), rounds)


def _target(aim: Expr) -> Symbol:
    (target,) = aim.free_symbols
    return target


def _compare(ours: AsymptoticRate, theirs: AsymptoticRate) -> RateComparison:
    faster = int(bool(ours.power < theirs.power)) - int(bool(ours.power > theirs.power))
    if faster:
        return RateComparison(theirs, None, faster)
    ratio = ours.rounds / theirs.rounds
    return RateComparison(theirs, None if ratio.has(Add) else ratio, 0)


def _shared(one: Theorem, other: Theorem) -> int:
    return len({a.name for a in one.assumptions} & {a.name for a in other.assumptions})
