"""Whether a mutant only weakens its theorem: a proof by signs, where there is one, and random points.

Only one term is another, so that it alone is compared. Every letter is put at the lower end of its domain,
plus something positive: tau = 1 + t, C = 1/(1 + c), mu = L/(1 + l) by a condition. Where the difference then
expands into a sum without a minus, it is positive everywhere. A whole letter may need two cases: its least
value, and one more than that plus something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Dummy, Expr, Pow, S, Symbol, expand, fraction, nan, together, zoo
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutants.draws import draws
from boundkit.attack.mutants.mutant import Mutant

Array = NDArray[np.float64]
ROUNDING = 1e-12
LEAST = 1000
"""Fewer random points than this tell nothing."""


@dataclass(frozen=True)
class Weaker:
    """The mutant claims no more than its theorem: proved, or seen at ``points`` random points.

    ``slack``: how many times as large its term is at typical values, where that is a number.
    """

    proved: bool
    points: int
    slack: float


def weaker(mutant: Mutant) -> Weaker | None:
    """Whether its bound is at least the original's (at most, of a lower bound) everywhere; None if not.

    Numbers first: one point where it is smaller settles the matter.
    """
    if mutant.expr is None:
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label].expr
    less, more = (mutant.expr, old) if theorem.kind == "lower" else (old, mutant.expr)
    points = draws(theorem)
    smaller, larger = (_at(e, points) for e in (less, more))
    known = np.isfinite(smaller) & np.isfinite(larger)
    if (larger < smaller * (1 - ROUNDING))[known].any():
        return None
    proved = never_less(theorem, more, less)
    count = int(known.sum())
    if not proved and count < LEAST:
        return None
    return Weaker(proved, count, _slack(mutant.expr, old))


def never_less(theorem: Theorem, more: Expr, less: Expr) -> bool:
    """Whether signs prove more >= less wherever the theorem's domains and conditions hold."""
    ratio = more / less if less != 0 else S.Infinity
    if ratio is S.Infinity:
        return True
    return any(_cases(ratio, more, less, start) for start in _starts(theorem))


def _cases(ratio: Expr, more: Expr, less: Expr, start: Mapping[Symbol, Expr]) -> bool:
    """One way of putting letters at their ends, with whole letters in two cases where that is needed."""
    if _positive(ratio - 1, start):
        return True
    for letter in sorted(ratio.free_symbols, key=str):
        if not isinstance(letter, Quantity) or not letter.domain.whole or letter in start:
            continue
        least = int(letter.domain.lower)
        first = {letter: S(least)}
        at_least = more.xreplace(first), less.xreplace(first)
        if any(e.has(nan, zoo) for e in at_least) or not (
            at_least[0] == at_least[1] or _positive(at_least[0] / at_least[1] - 1, start)
        ):
            continue
        if _positive(ratio - 1, {**start, letter: least + 1 + Dummy(positive=True)}):
            return True
    return False


def _positive(expr: Expr, start: Mapping[Symbol, Expr]) -> bool:
    """Whether no sign of the expanded numerator or denominator is a minus."""
    shifted = expr
    for letter, value in start.items():
        shifted = shifted.xreplace({letter: value})
    ends = {s: _from_its_end(s) for s in shifted.free_symbols if isinstance(s, Quantity)}
    above, below = fraction(together(shifted.xreplace(ends)))
    if _open(above) or _open(below):
        return False
    return all(_no_minus(expand(e)) for e in (above, below)) or all(
        _no_minus(expand(-e)) for e in (above, below)
    )


def _no_minus(expr: Expr) -> bool:
    return all(part.is_nonnegative for part in Add.make_args(expr))


def _open(expr: Expr) -> bool:
    """Whether a power has letters in its exponent, of which signs tell nothing."""
    return any(not power.exp.is_number for power in expr.atoms(Pow))


def _from_its_end(letter: Quantity) -> Expr:
    """The letter as something positive above the lower end of its domain, or below the upper."""
    more, domain = Dummy(letter.name, positive=True), letter.domain
    if domain.upper == 1 and domain.lower == 0:
        return 1 / (1 + more) if domain.includes_upper else more / (1 + more)
    return int(domain.lower) + more


def _starts(theorem: Theorem) -> Iterator[dict[Symbol, Expr]]:
    """Ways to put conditions in: none, or for each letter the first that says how large it may be."""
    yield {}
    bare = [found for c in (*theorem.requires, *theorem.step_size) for found in _solved(c)]
    if bare:
        yield dict(reversed(bare))
    for one in bare:
        yield dict([one])


def _solved(condition: Relational) -> Sequence[tuple[Symbol, Expr]]:
    left, right = condition.args
    upwards = ">" in condition.rel_op
    more = Dummy(positive=True)
    for letter, other, up in ((left, right, upwards), (right, left, not upwards)):
        if isinstance(letter, Symbol) and letter not in other.free_symbols:
            return [(letter, other + more if up else other / (1 + more))]
    return []


def _slack(new: Expr, old: Expr) -> float:
    letters = new.free_symbols | old.free_symbols
    typical = {q.name: q.typical for q in letters if isinstance(q, Quantity)}
    with np.errstate(all="ignore"):
        return float(evaluate(new, typical) / evaluate(old, typical))


def _at(expr: Expr, points: Mapping[str, Array]) -> Array:
    count = len(next(iter(points.values()), np.zeros(0)))
    return np.broadcast_to(evaluate(expr, points), (count,))
