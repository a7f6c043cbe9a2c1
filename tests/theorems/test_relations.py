"""Reductions and limits of every theorem, checked by sympy and once more by number."""

import pytest
from sympy import Rational, sympify

from boundkit.algebra import Limit, Reduction, Theorem, dimension_of
from boundkit.algebra.notation import units_of
from boundkit.theorems import catalogue
from tests.theorems.points import admissible

REDUCTIONS = [
    pytest.param(t, r, id=f"{t.name}-{i}-{r.to}")
    for t in catalogue().values()
    for i, r in enumerate(t.reductions)
]
HOLDING = [
    pytest.param(t, r, id=f"{t.name}-{i}-{r.to}")
    for t in catalogue().values()
    for i, r in enumerate(t.reductions)
    if r.holds
]
LIMITS = [
    pytest.param(t, k, id=f"{t.name}-{i}") for t in catalogue().values() for i, k in enumerate(t.limits)
]


@pytest.mark.parametrize(("theorem", "reduction"), REDUCTIONS)
def test_reduction_holds_or_leaves_something_over_as_it_says(theorem: Theorem, reduction: Reduction) -> None:
    other = catalogue()[reduction.to]
    leftover = reduction.check(theorem.bound.terms, other.bound.terms)
    assert bool(leftover) != reduction.holds, str(leftover)
    if not reduction.holds:
        assert reduction.because


@pytest.mark.parametrize(("theorem", "reduction"), REDUCTIONS)
def test_factor_carries_the_ratio_of_the_two_claims(theorem: Theorem, reduction: Reduction) -> None:
    other = catalogue()[reduction.to]
    for label in {*theorem.bound.terms} & {*other.bound.terms}:
        factor = sympify(reduction.factors.get(label, 1))
        dimension = dimension_of(factor, units_of(factor))
        assert dimension is not None
        assert dimension * other.claim.dimension == theorem.claim.dimension


@pytest.mark.parametrize(("theorem", "reduction"), HOLDING)
@pytest.mark.parametrize("seed", range(3))
def test_reduction_holds_by_number(theorem: Theorem, reduction: Reduction, seed: int) -> None:
    other = catalogue()[reduction.to].bound.terms
    point = {**admissible(catalogue()[reduction.to], seed), **admissible(theorem, seed), **reduction.when}
    for label, term in theorem.bound.terms.items():
        if label in reduction.leaves:
            continue
        factor = Rational(sympify(reduction.factors.get(label, 1)).subs(point))
        expected = factor * other[label].expr.subs(point) if label in other else 0
        assert term.expr.subs(point) == expected


@pytest.mark.parametrize(("theorem", "limit"), LIMITS)
def test_limit_removes_what_it_says_and_nothing_else(theorem: Theorem, limit: Limit) -> None:
    leftover = limit.check(theorem.bound.terms)
    assert bool(leftover) != limit.holds, str(leftover)
    if not limit.holds:
        assert limit.because


@pytest.mark.parametrize(("theorem", "limit"), LIMITS)
def test_limit_that_forgets_a_term_is_caught(theorem: Theorem, limit: Limit) -> None:
    for removes in ((), tuple(theorem.bound.terms)):
        assert Limit(limit.when, removes).check(theorem.bound.terms)
