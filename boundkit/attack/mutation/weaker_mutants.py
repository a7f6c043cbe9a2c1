"""Mutants that are weaker than their theorem: refuted at random points, or proved by signs.

Proofs of signs: expressions that are nonnegative wherever a theorem's domains and conditions hold.

Every quantity is written as the lower end of its domain plus something positive: tau = 1 + t, C = 1/(1 + c),
mu = L/(1 + l) by a condition. A result that expands into a sum without a minus is positive everywhere. An
integer may need two cases: its least value, and one more than that plus something. A change deep inside an
expression is compared in place, and propagated outwards by monotonicity: a sum grows with its parts, a
power of a base of at most 1 decreases with its exponent, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Symbol,
    exp,
    expand,
    factor,
    fraction,
    log,
    nan,
    powsimp,
    together,
    zoo,
)
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import eta, eta_s
from boundkit.algebra.vocabulary import SERVER_STEP_AT_LEAST_ONE
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.mutation.mutant import Mutant, Path, replace_at
from boundkit.attack.mutation.random_points import draw_points
from boundkit.verification.constants import is_unspecified

Start = Mapping[Symbol, Expr]
_LOOPS = 5
_LARGE = 150
"""Expressions with more operations than this are not expanded."""


class SignProver:
    """Proofs inside the domains and conditions of one theorem; an unproved statement may still be true."""

    def __init__(self, theorem: Theorem, more: tuple[Relational, ...] = ()) -> None:
        conditions = (*more, *theorem.step_size, *theorem.requires)
        self.starts = list(_starts(conditions))
        self.conditions = [large - small for small, large in map(sides, conditions)]
        self._signs: dict[Expr, int] = {}

    def never_less(self, more: Expr, less: Expr) -> bool:
        """Check whether more >= less is proved; both are nonnegative."""
        if less == 0 or more == less:
            return True
        ratio = powsimp(more / less)  # equal bases with opposite exponents cancel
        base, power = ratio.as_base_exp()
        if power.is_number and power != 1 and self.sign(base - 1 if power > 0 else 1 - base) > 0:
            return True  # a base of both signs may have an even power, which is expanded below
        if ratio.has(Max) and self.sign(ratio - 1) > 0:
            return True
        if _closed(ratio):
            return self.sign(ratio - 1) > 0
        above, below = fraction(ratio)
        squares = below.atoms(Pow) and self.sign(below) > 0
        return any(
            self._in_cases(ratio, more, less, start) or (squares and _positive(above - below, start))
            for start in self.starts
        )

    def grows(self, expr: Expr, path: Path, new: Expr) -> int:
        """Return 1 where ``new`` at that place provably increases the expression, -1 decreases it, else 0."""
        chain = [expr]
        for place in path:
            chain.append(chain[-1].args[place])
        before, after = chain[-1], new
        if self.sign(before) < 0 and self.sign(after) < 0:
            way = -self._compared(-before, -after)
        else:
            way = self._compared(before, after)
        for node, place in zip(reversed(chain[:-1]), reversed(path), strict=True):
            if way == 0:
                return 0
            way *= self._carried(node, place, before, after)
            before, after = node, replace_at(node, (place,), after)
        return way

    def sign(self, expr: Expr) -> int:
        """Return 1 where the expression is proved nonnegative, -1 where nonpositive, else 0."""
        if expr not in self._signs:
            self._signs[expr] = self._sign(expr)
        return self._signs[expr]

    def _compared(self, before: Expr, after: Expr) -> int:
        if self.sign(before) <= 0 or self.sign(after) <= 0:
            difference = self.sign(after - before)
            return difference
        return 1 if self.never_less(after, before) else -1 if self.never_less(before, after) else 0

    def _carried(self, node: Expr, place: int, before: Expr, after: Expr) -> int:
        """Return 1 where the node increases with that part, -1 where it decreases, else 0."""
        if isinstance(node, (Add, Max, Min, exp, log)):
            return 1
        if isinstance(node, Mul):
            return self.sign(Mul(*(part for i, part in enumerate(node.args) if i != place)))
        if not isinstance(node, Pow):
            return 0
        if place == 0:
            if self.sign(before) > 0 and self.sign(after) > 0:
                return self.sign(node.exp)
            # a whole power of what is between -before and before is at most that of before
            between = (
                self.sign(before) > 0 and self.sign(before - after) > 0 and self.sign(before + after) > 0
            )
            return 1 if between and is_whole(node.exp) else 0
        if self.sign(node.base) <= 0:
            return 0
        return self.sign(node.base - 1)

    def _sign(self, expr: Expr) -> int:
        if expr.is_number:
            return 1 if expr.is_nonnegative else -1 if expr.is_negative else 0
        if isinstance(expr, (Symbol, exp, Abs)):
            return 1
        if isinstance(expr, Mul):
            result = 1
            for part in expr.args:
                result *= self.sign(part)
            return result
        if isinstance(expr, Pow):
            return 1 if expr.exp.is_even or self.sign(expr.base) > 0 else 0
        if isinstance(expr, log):
            return self.sign(expr.args[0] - 1)
        if isinstance(expr, (Max, Min)):
            some = [self.sign(part) for part in expr.args]
            return 1 if all(s > 0 for s in some) or (isinstance(expr, Max) and 1 in some) else 0
        return self._sign_of_sum(expr) if isinstance(expr, Add) else 0

    def _sign_of_sum(self, expr: Expr) -> int:
        parts = [self.sign(part) for part in expr.args]
        if 0 not in parts and len(set(parts)) == 1:
            return parts[0]
        for part in expr.args:
            times, inner = part.as_coeff_Mul()
            if isinstance(inner, (Max, Min)):  # it is one of its arguments, and Max is at least each
                rest = [self.sign(expr - part + times * each) > 0 for each in inner.args]
                if (any if (times > 0) == isinstance(inner, Max) else all)(rest):
                    return 1
        inside = next((part.args[0] for part in expr.args if isinstance(part, log)), None)
        if inside is not None and (rest := expr - log(inside)).is_Integer and rest < 0:
            return 1 if self.sign(inside - 3**-rest) > 0 else 0  # log(3) > 1
        power = 1 - expr
        if isinstance(power, Pow) and self.sign(power.exp) > 0 and self.sign(power.base) > 0:
            return self.sign(1 - power.base)
        if not _closed(expr):
            for sign in (1, -1):
                if any(_positive(sign * expr, start) for start in self.starts):
                    return sign
            for least in self.conditions:  # what is at least a condition's difference
                for sign in (1, -1):
                    if expr.free_symbols <= least.free_symbols and _positive(sign * expr - least, {}):
                        return sign
        return self._by_bernoulli(expr)

    def _by_bernoulli(self, expr: Add) -> int:
        """Return -1 where (1 - u)^n <= 1/(1 + n u), 0 <= u <= 1 and whole n, proves the sum nonpositive."""
        for power in expr.args:
            if not isinstance(power, Pow) or power.exp.is_number or not is_whole(power.exp):
                continue
            u = 1 - power.base
            if self.sign(u) > 0 and self.sign(power.base) > 0:
                below = self.sign(factor(together(power - expr - 1 / (1 + power.exp * u)))) > 0
                return -1 if below else 0
        return 0

    def _in_cases(self, ratio: Expr, more: Expr, less: Expr, start: Start) -> bool:
        """Substitute one set of lower ends, with two cases for an integer where that is needed."""
        if _positive(ratio - 1, start):
            return True
        for quantity in sorted(ratio.free_symbols, key=str):
            if not isinstance(quantity, Quantity) or not quantity.domain.whole or quantity in start:
                continue
            least = int(quantity.domain.lower)
            first = {quantity: S(least)}
            at = more.xreplace(first), less.xreplace(first)
            if any(e.has(nan, zoo) for e in at):
                continue
            if not (at[0] == at[1] or (at[1] != 0 and _positive(at[0] / at[1] - 1, start))):
                continue
            if _positive(ratio - 1, {**start, quantity: least + 1 + Dummy(positive=True)}):
                return True
        return False


@lru_cache(maxsize=64)
def sign_proofs(theorem: Theorem) -> SignProver:
    """Return the proofs of a theorem, which cache their results."""
    return SignProver(theorem, assumed_relations(theorem))


def _positive(expr: Expr, start: Start) -> bool:
    """Check whether the expanded numerator and denominator have no minus sign."""
    shifted = expr
    for _ in range(_LOOPS):
        moved = shifted.xreplace(dict(start))
        if moved == shifted:
            break
        shifted = moved
    ends = {s: _from_its_end(s) for s in shifted.free_symbols if isinstance(s, Quantity)}
    put_in = shifted.xreplace(ends)
    if put_in.count_ops() > _LARGE:
        return False
    above, below = fraction(together(put_in))
    parts = [expand(above), expand(below)]
    return all(_no_minus(e) for e in parts) or all(_no_minus(-e) for e in parts)


def _no_minus(expr: Expr) -> bool:
    return all(part.is_nonnegative for part in Add.make_args(expand(expr)))


def is_whole(exponent: Expr) -> bool:
    """Check whether an exponent is a product of whole quantities, at least 1 each."""
    return all(
        isinstance(part, Quantity) and part.domain.whole and part.domain.lower >= 1
        for part in Mul.make_args(exponent)
    )


def _closed(expr: Expr) -> bool:
    """Check whether functions, or quantities in an exponent, hide the signs."""
    return bool(expr.atoms(log, exp)) or any(not power.exp.is_number for power in expr.atoms(Pow))


def _from_its_end(quantity: Quantity) -> Expr:
    """Return the quantity as something positive above the lower end of its domain, or below the upper."""
    more, domain = Dummy(quantity.name, positive=True), quantity.domain
    if domain.upper == 1 and domain.lower == 0:
        return 1 / (1 + more) if domain.includes_upper else more / (1 + more)
    return int(domain.lower) + more


def _starts(conditions: tuple[Relational, ...]) -> Iterator[dict[Symbol, Expr]]:
    """Yield sets of substitutions from conditions: none, all with one for the step size, each alone."""
    yield {}
    solved = [result for condition in conditions if (result := _solved(condition)) is not None]
    steps = [one for one in solved if one[0] == eta]
    others = dict(reversed([one for one in solved if one[0] != eta]))
    if others:
        yield others
    for one in steps:
        yield {one[0]: one[1], **others}
    for one in solved:
        yield dict([one])


def _solved(condition: Relational) -> tuple[Symbol, Expr] | None:
    """Solve a condition for a quantity, with a positive slack variable; None where that is not possible."""
    small, large = sides(condition)
    more = Dummy(positive=True)
    power = (small / large).as_powers_dict().get(eta, 0)
    if power == 1:
        bound = large / (small / eta)
        return None if eta in bound.free_symbols else (eta, bound / (1 + more))
    if isinstance(large, Symbol) and large not in small.free_symbols:
        return large, small + more
    factors = [each for each in Mul.make_args(small) if isinstance(each, Symbol)]
    if factors and Mul(*factors) == small and small.free_symbols.isdisjoint(large.free_symbols):
        return factors[0], large / (1 + more) / Mul(*factors[1:])
    return None


Array = NDArray[np.float64]
ROUNDING = 1e-12
LEAST = 1000
"""Least number of random points for a statement."""
_ASSUMED: dict[str, Relational] = {SERVER_STEP_AT_LEAST_ONE.name: eta_s >= 1}


def assumed_relations(theorem: Theorem) -> tuple[Relational, ...]:
    """Return the assumptions of a theorem that limit one of its quantities, as relations."""
    return tuple(
        relation
        for name, relation in _ASSUMED.items()
        if theorem.assumes(name) and relation.free_symbols <= set(theorem.quantities)
    )


@dataclass(frozen=True)
class WeakerResult:
    """The mutant claims no more than its theorem: proved, or at ``points`` random points.

    ``slack``: the factor at typical values by which its term is larger, where that is finite.
    """

    proved: bool
    points: int
    slack: float


def check_weaker(mutant: Mutant) -> WeakerResult | None:
    """Check whether its bound is everywhere at least the original's (at most, of a lower bound); None if not.

    Random points are first: one at which it is smaller decides.
    """
    if mutant.condition is not None:
        return WeakerResult(True, 0, 1.0) if renames_constant(mutant) or _is_assumed(mutant) else None
    if mutant.expr is None:
        return None
    theorem = mutant.original
    old = theorem.bound.terms[mutant.label].expr
    less, more = (mutant.expr, old) if theorem.kind == "lower" else (old, mutant.expr)
    points = draw_points(theorem, more=assumed_relations(theorem))
    smaller, larger = (_evaluated(e, points) for e in (less, more))
    names = np.isfinite(smaller) & np.isfinite(larger)
    if (larger < smaller * (1 - ROUNDING))[names].any():
        return None
    proved = _proved(mutant, more, less)
    count = int(names.sum())
    if not proved and count < LEAST:
        return None
    return WeakerResult(proved, count, _slack(mutant.expr, old))


def renames_constant(mutant: Mutant) -> bool:
    """Whether a relaxed condition is the theorem's own with another name for an unspecified constant.

    Such a constant stands for some number; where it is a factor of one side, and is nowhere else, so does a
    multiple of it.
    """
    theorem = mutant.original
    condition = theorem.step_size[mutant.place]
    others = set().union(
        *(each.free_symbols for each in (*theorem.step_size, *theorem.requires) if each != condition),
        *(each.expr.free_symbols for each in theorem.terms),
        *(each.free_symbols for each in theorem.rules.values()),
    )
    small, large = sides(condition)
    powers = (small / large).as_powers_dict()
    own = [each for each in powers if isinstance(each, Quantity) and is_unspecified(each.name)]
    return any(each not in others and not (small / large / each ** powers[each]).has(each) for each in own)


def _is_assumed(mutant: Mutant) -> bool:
    """Prove that the other conditions and the assumptions imply the one that is relaxed."""
    theorem = mutant.theorem
    assumed = assumed_relations(theorem)
    small, large = sides(mutant.original.step_size[mutant.place])
    return bool(assumed) and SignProver(theorem, assumed).sign(large - small) > 0


def _proved(mutant: Mutant, more: Expr, less: Expr) -> bool:
    """Prove it by signs, from the place of the change outwards, else for the whole term."""
    result, theorem = sign_proofs(mutant.original), mutant.original
    if mutant.path is not None and mutant.part is not None:
        way = result.grows(theorem.bound.terms[mutant.label].expr, mutant.path, mutant.part)
        if way == (-1 if theorem.kind == "lower" else 1):
            return True
    return result.never_less(more, less)


def _slack(new: Expr, old: Expr) -> float:
    quantities = new.free_symbols | old.free_symbols
    typical = {q.name: q.typical for q in quantities if isinstance(q, Quantity)}
    with np.errstate(all="ignore"):
        return float(evaluate(new, typical) / evaluate(old, typical))


def _evaluated(expr: Expr, points: Mapping[str, Array]) -> Array:
    count = len(next(iter(points.values()), np.zeros(0)))
    return np.broadcast_to(evaluate(expr, points), (count,))
