"""The rate of a bound whose step is tuned, beside those of known theorems of the same claim."""

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

MOST = 4
"""So many known theorems are set beside it."""


@dataclass(frozen=True)
class Law:
    """As T grows, the tuned bound falls as ``power`` of T: by ``bound``, of the terms ``labels``."""

    theorem: str
    power: Rational
    bound: Expr
    labels: tuple[str, ...]
    rounds: Expr

    def to_text(self) -> str:
        """The rate as a formula, and whose it is."""
        return f"{plain(self.bound)}, by the {' and the '.join(self.labels)}"


@dataclass(frozen=True)
class Beside:
    """A known theorem's law beside ours; ``times``: our rounds over theirs, where that is a formula."""

    law: Law
    times: Expr | None
    faster: int

    def to_text(self, ours: str) -> str:
        """Who is faster, and by what, as one sentence."""
        name = self.law.theorem
        if self.faster:
            return f"{ours if self.faster > 0 else name} falls faster: {name} as T^({self.law.power})"
        if self.times is None:
            return f"as fast in T as {name}, which has {plain(self.law.bound)}"
        if self.times == 1:
            return f"as fast in T as {name}, and as many rounds for a small target"
        return f"as fast in T as {name}, with {plain(self.times)} times as many rounds for a small target"


@dataclass(frozen=True)
class Rates:
    """Our law, or why there is none, and the laws of others."""

    law: Law | None
    reason: str
    others: tuple[Beside, ...]

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON; formulas as plain text."""
        law = self.law
        return {
            "power": None if law is None else str(law.power),
            "bound": None if law is None else plain(law.bound),
            "terms": [] if law is None else list(law.labels),
            "reason": self.reason or None,
            "beside": [
                {
                    "theorem": each.law.theorem,
                    "power": str(each.law.power),
                    "bound": plain(each.law.bound),
                    "rounds": None if each.times is None else plain(each.times),
                }
                for each in self.others
            ],
        }


def rates(theorem: Theorem, known: Mapping[str, Theorem]) -> Rates:
    """The rate of the tuned bound, and of known theorems with the same claim: the same algorithm's first."""
    try:
        ours = law(theorem)
    except BoundkitError as error:
        return Rates(None, str(error), ())
    others = [t for t in known.values() if t.claim == theorem.claim and t.name != theorem.name]
    others = [t for t in others if t.kind == "upper"]
    others.sort(key=lambda t: (t.algorithm != theorem.algorithm, -_shared(t, theorem)))
    found: list[Beside] = []
    for other in others:
        if len(found) == MOST:
            break
        try:
            theirs = law(other)
        except BoundkitError:
            continue
        found.append(_beside(ours, theirs))
    return Rates(ours, "", tuple(found))


def law(theorem: Theorem) -> Law:
    """How the bound falls for large T where each step is the best for it.

    From the rounds for a target: those that grow fastest as it shrinks. Raises BoundkitError where no
    formula gives them.
    """
    found = complexity(theorem)
    if theorem.claim.summary == "first":
        raise BoundkitError("the theorem bounds the rounds themselves, for a target.")
    if found.floors:
        raise BoundkitError(
            f"the {', '.join(found.floors)} stays at {plain(Add(*found.floors.values()))} whatever T and the "
            "step are."
        )
    aim = monomial(found.aim, _letter(found.aim))
    parts = [(p.label, monomial(p.expr, _letter(found.aim))) for p in found.parts]
    if aim is None or any(part is None for _, part in parts):
        raise BoundkitError("the rounds for a target are no power of the target.")
    powers = [(label, -part[1], part[0]) for label, part in parts if part is not None]
    steepest = max(power for _, power, _ in powers)
    if steepest <= 0:
        raise BoundkitError("the bound is at any target after a fixed number of rounds.")
    leading = [(label, coefficient) for label, power, coefficient in powers if power == steepest]
    rounds = Add(*(coefficient for _, coefficient in leading))
    power = -aim[1] / steepest
    return Law(theorem.name, power, (rounds / T) ** -power, tuple(dict(leading)), rounds)


def _letter(aim: Expr) -> Symbol:
    (letter,) = aim.free_symbols
    return letter


def _beside(ours: Law, theirs: Law) -> Beside:
    faster = int(bool(ours.power < theirs.power)) - int(bool(ours.power > theirs.power))
    if faster:
        return Beside(theirs, None, faster)
    times = ours.rounds / theirs.rounds
    return Beside(theirs, None if times.has(Add) else times, 0)


def _shared(one: Theorem, other: Theorem) -> int:
    return len({a.name for a in one.assumptions} & {a.name for a in other.assumptions})
