"""All mutants of a theorem: its terms and its conditions, one systematic mistake at a time."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.printing import plain
from boundkit.attack.mutation.changes import changes
from boundkit.attack.mutation.mutant import Mutant

RELAXED = (2, 10)


def mutants(theorem: Theorem) -> list[Mutant]:
    """Every systematic mistake, once: what is written another way is the same, and what is equal is none.

    >>> from boundkit.theorems import theorem
    >>> found = [one.what for one in mutants(theorem("sgd_nonconvex"))]
    >>> found[0], "stochastic noise: 1/2 for 1" in found
    ('initial gap: left out', True)
    """
    return [*_of_terms(theorem), *_of_conditions(theorem)]


def _of_terms(theorem: Theorem) -> Iterator[Mutant]:
    for label, term in theorem.bound.terms.items():
        met: set[Expr] = {term.expr}
        for change in changes(theorem, term.expr):
            if change.expr in met:
                continue
            met.add(change.expr)
            yield Mutant(
                theorem, change.kind, f"{label}: {change.what}", label, change.expr, times=change.times,
                path=change.path, part=change.part,
            )  # fmt: skip


def _of_conditions(theorem: Theorem) -> Iterator[Mutant]:
    for place, condition in enumerate(theorem.step_size):
        for times in RELAXED:
            relaxed = _relaxed(condition, times)
            what = f"condition: {plain(relaxed)} for {plain(condition)}"
            yield Mutant(theorem, "condition", what, place=place, condition=relaxed, times=times)


def _relaxed(condition: Relational, times: int) -> Relational:
    """The larger side times as much; the smaller side where the larger is a bare letter."""
    left, right = condition.args
    if "<" in condition.rel_op:
        return condition.func(left, times * right, evaluate=False)
    return condition.func(left, right / times, evaluate=False)
