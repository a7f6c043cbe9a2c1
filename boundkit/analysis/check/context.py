"""Context of the checks, the theorem with random points at which it applies, and their results.

The points are exact fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from sympy import Expr, Pow, Rational
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Term, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import WHOLE, C, eta, m
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import join_names

Outcome = Literal["pass", "fail", "not applicable"]
OutcomeWithReason = tuple[Outcome, str]

_MARKS = {"pass": "pass", "fail": "FAIL", "not applicable": "n/a"}
FACTOR = 10
"""Factor of the changed constants that ``CheckResult.undetected`` names."""


@dataclass(frozen=True)
class SingleCheck:
    """Outcome of one check by name, and the reason in one sentence."""

    check: str
    outcome: Outcome
    why: str


def _none() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, repr=False)
class CheckResult(Reported):
    """Outcomes of all checks of one theorem, in the order of the checks. True where none fails."""

    theorem: str
    checks: tuple[SingleCheck, ...]
    kind: str = field(default="upper", compare=False)
    find_undetected: Callable[[], tuple[str, ...]] = field(default=_none, compare=False)

    def __bool__(self) -> bool:
        return not self.failures

    @property
    def failures(self) -> tuple[SingleCheck, ...]:
        """The checks that fail."""
        return tuple(c for c in self.checks if c.outcome == "fail")

    def named(self, name: str) -> SingleCheck:
        """The check of that name. Raises KeyError for an unknown name."""
        return {c.check: c for c in self.checks}[name]

    @cached_property
    def undetected(self) -> tuple[str, ...]:
        """The terms whose constant could be ten times too small (large, in a lower bound) undetected."""
        return self.find_undetected() if self else ()

    def headline(self) -> str:
        """Numbers of checks that passed, failed and did not apply."""
        count = Counter(c.outcome for c in self.checks)
        parts = [f"{count['pass']} checks passed"]
        parts += [f"{count['fail']} failed"] if count["fail"] else []
        parts += [f"{count['not applicable']} not applicable"] if count["not applicable"] else []
        return f"{self.theorem}: {', '.join(parts)}"

    def report(self, verbose: bool = False) -> Report:
        """The headline, the failures and undetected constants; with ``verbose`` a row for each check."""
        shown = self.checks if verbose else self.failures
        rows = [[_MARKS[c.outcome], c.check, c.why] for c in shown]
        return Report((Heading(self.headline()), Table(["", "", ""], rows, left=3), *self._undetected()))

    def _undetected(self) -> tuple[Sentences, ...]:
        if not self.undetected:
            return ()
        terms = f"{join_names(self.undetected)} term{'s' if len(self.undetected) > 1 else ''}"
        wrong = f"{FACTOR} times too {'large' if self.kind == 'lower' else 'small'}"
        return (Sentences([f"Without a run, a constant {wrong} in the {terms} would pass."], wrapped=True),)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "theorem": self.theorem,
            "passed": bool(self),
            "checks": [{"check": c.check, "outcome": c.outcome, "why": c.why} for c in self.checks],
        }


def passed(why: str) -> OutcomeWithReason:
    """The outcome of a check that passes."""
    return "pass", why


def failed(why: str) -> OutcomeWithReason:
    """The outcome of a check that fails."""
    return "fail", why


def skipped(why: str) -> OutcomeWithReason:
    """The outcome of a check that does not apply."""
    return "not applicable", why


POINTS = 4
"""Random points at which formulas are compared as numbers."""


@dataclass(frozen=True)
class CheckContext:
    """A theorem, the theorems that it may refer to, and random points at which it applies."""

    theorem: Theorem
    known: Mapping[str, Theorem] = field(default_factory=dict)
    seed: int = 0

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Points that satisfy the conditions. Raises BoundkitError where none is found."""
        return tuple(admissible(self.theorem, self.seed + k) for k in range(POINTS))

    @cached_property
    def infeasibility(self) -> str:
        """The reason why no values satisfy the conditions; empty where some do."""
        try:
            self.points  # noqa: B018
        except BoundkitError as error:
            return str(error)
        return ""

    @property
    def terms(self) -> Mapping[str, Term]:
        """The terms by label."""
        return self.theorem.bound.terms

    @property
    def conditions(self) -> tuple[Relational, ...]:
        """All conditions, those on the steps first."""
        return (*self.theorem.step_size, *self.theorem.requires)

    @property
    def formulas(self) -> tuple[Expr | Relational, ...]:
        """Every formula of the statement."""
        return (*(term.expr for term in self.theorem.terms), *self.conditions)


Point = dict[Quantity, Rational]
Conditions = tuple[Relational, ...]

_DRAWS, _HALVINGS, _MOVES = 400, 80, 300
_LARGEST_COUNT, _LARGEST, _LARGEST_POWER, _PROGRESS = 10**7, 10**12, 10**4, 1 - 1e-3
_STEPS = (Rational(1, 32), Rational(1, 2), Rational(19, 20), Rational(21, 20), Rational(2), Rational(32))


def admissible(theorem: Theorem, seed: int) -> Point:
    """A point that satisfies all domains and conditions: sampled, then moved until the steps are admissible.

    Raises BoundkitError, naming a condition that fails, where the search finds none. That is no proof of
    infeasibility, but conditions of the usual forms are satisfied.
    """
    return dict(_admissible(theorem.quantities, theorem.requires, theorem.step_size, seed))


@lru_cache(maxsize=4096)
def _admissible(
    quantities: tuple[Quantity, ...], requires: Conditions, step_size: Conditions, seed: int
) -> Point:
    conditions = (*requires, *step_size)
    for condition in conditions:
        if condition.rel_op not in ("<=", "<", ">=", ">"):
            raise BoundkitError(f"the condition {plain(condition)} is no inequality.")
    point = _first(quantities, requires, np.random.default_rng(seed))
    for _ in range(_HALVINGS):
        if eta not in point or _all_hold(step_size, point):
            break
        point[eta] = point[eta] / 2
    # First without violating ``requires``, then without that restriction
    searches = (_moved(point, conditions, fixed) for fixed in (requires, ()))
    point = next((moved for moved in searches if _all_hold(conditions, moved)), point)
    for condition in conditions:
        if not condition_holds(condition, point):
            raise BoundkitError(
                f"no values were found that satisfy every condition; {plain(condition)} is violated."
            )
    return point


def condition_holds(condition: Relational, point: Mapping[Quantity, Rational]) -> bool:
    """Whether a condition holds at a point, up to a relative 1e-12."""
    return bool(satisfied(condition, numbers(point)))


def _all_hold(conditions: Conditions, point: Mapping[Quantity, Rational]) -> bool:
    values = numbers(point)
    return all(satisfied(condition, values) for condition in conditions)


def numbers(point: Mapping[Quantity, Rational]) -> dict[str, float]:
    """The point in floating point, by keyword."""
    return {quantity.name: value.p / value.q for quantity, value in point.items()}


def exact(expr: Expr, point: Mapping[Quantity, Rational]) -> Expr:
    """The value of an expression at a point in forty digits; it stays symbolic where it has none."""
    if max(point.values(), default=0) > _LARGEST_POWER and any(p.exp.free_symbols for p in expr.atoms(Pow)):
        return expr.evalf(40, subs=dict(point))  # a fraction to the millionth power has millions of digits
    return expr.xreplace(dict(point)).evalf(40)


def _first(quantities: tuple[Quantity, ...], requires: Conditions, rng: np.random.Generator) -> Point:
    """The sample with the smallest violation of ``requires``, among those with whole counts."""
    best: tuple[float, Point] | None = None
    for _ in range(_DRAWS):
        point = _sampled(quantities, rng)
        if not _counts_are_whole(point):
            continue
        violation = _violation(point, requires)
        if best is None or violation < best[0]:
            best = violation, point
        if violation == 0:
            break
    if best is None:
        raise BoundkitError("no values were found for which every count, such as C m, is whole.")
    return best[1]


def _sampled(quantities: tuple[Quantity, ...], rng: np.random.Generator) -> Point:
    point = {q: _draw(q, rng) for q in quantities}
    if C in point and m in point:
        point[C] = Rational(int(rng.integers(1, int(point[m]) + 1)), int(point[m]))
    return point


def _draw(quantity: Quantity, rng: np.random.Generator) -> Rational:
    domain = quantity.domain
    if domain.whole:
        high = 40 if not np.isfinite(domain.upper) else int(domain.upper - domain.lower)
        return Rational(int(domain.lower) + int(rng.integers(0, high + 1)))
    low = Rational(domain.lower)
    if np.isfinite(domain.upper):
        return low + Rational(int(rng.integers(1, 1000)), 1000) * (Rational(domain.upper) - low)
    return low + Rational(round(1000 * float(np.exp(rng.normal()))) + 1, 1000)


def _counts_are_whole(point: Mapping[Quantity, Rational]) -> bool:
    """Whether C m and all other counts are whole and at least 1."""
    for product in WHOLE:
        if product.free_symbols <= set(point):
            value = product.xreplace(dict(point))
            if not value.is_Integer or value < 1:
                return False
    return True


def _moved(point: Point, conditions: Conditions, fixed: Conditions) -> Point:
    """The point after greedy moves, each of the one quantity that lowers the sum of violations most."""
    now = _violation(point, conditions)
    for _ in range(_MOVES):
        if now == 0:
            break
        failing = [c for c in conditions if not condition_holds(c, point)]
        quantities = sorted({q for c in failing for q in c.free_symbols if q in point}, key=str)
        satisfied_now = tuple(c for c in fixed if condition_holds(c, point))
        moves = [
            moved
            for q in quantities
            for moved in _moves(point, q)
            if _counts_are_whole(moved) and _all_hold(satisfied_now, moved)
        ]
        scored = [(_violation(moved, conditions), i) for i, moved in enumerate(moves)]
        if not scored or min(scored)[0] >= now * _PROGRESS:
            break
        now, best = min(scored)
        point = moves[best]
    return point


def _moves(point: Point, quantity: Quantity) -> Iterator[Point]:
    value, domain = point[quantity], quantity.domain
    if quantity == C and m in point:
        count = value * point[m]
        values = [Rational(max(count // 2, 1)) / point[m], min(2 * count, point[m]) / point[m]]
    elif np.isfinite(domain.upper) and not domain.whole:
        values = [(value + Rational(domain.lower)) / 2, (value + Rational(domain.upper)) / 2]
    elif domain.whole:
        values = [Rational(value // 2), value - 1, value + 1, 2 * value, 32 * value]
    else:
        values = [value * by for by in _STEPS]
    largest = _LARGEST_COUNT if domain.whole else _LARGEST
    for new in values:
        if new != value and new <= largest and domain.contains(float(new)):
            yield {**point, quantity: new}


def _violation(point: Mapping[Quantity, Rational], conditions: Conditions) -> float:
    values = numbers(point)
    return sum(_excess(condition, values) for condition in conditions)


def _excess(condition: Relational, values: Mapping[str, float]) -> float:
    """0 where the condition holds, and increasing with the distance of its sides."""
    if bool(satisfied(condition, values)):
        return 0.0
    low, high = (float(evaluate(side, values)) for side in sides(condition))
    if not np.isfinite(low) or not np.isfinite(high):
        return 1e6
    if high > 0:
        return 1e-9 + float(np.log(low / high))
    return 1e3 + (low - high) / (1 + abs(high))
