"""Generate all mutants of a theorem: systematic mistakes in its terms and its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Mul, Rational, S
from sympy.core.relational import Relational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import (
    C,
    groups,
    kappa,
    m,
    sigma,
    sigma_between,
    sigma_c,
    sigma_g,
    sigma_star,
    sigma_within,
    tau,
    tau_felt,
    tau_max,
    zeta,
)
from boundkit.algebra.printing import plain
from boundkit.attack.mutation.mutant import Mutant, Path, enclosing_expression, powers, replace_at, sums

TIMES = (2, 4, 10)
_COUNTED = (tau, tau_felt, tau_max, groups)
"""Quantities that are often meant less one, or lack it."""
_HETEROGENEITY = (sigma_g, kappa, sigma_c, sigma_within, sigma_between, sigma_star, zeta)
"""Quantities of heterogeneity with the dimension of the noise."""


@dataclass(frozen=True)
class Change:
    """A mistake in one term, and the changed term.

    ``times``: the divisor of the constant; ``path``, ``part``: place of the change and the new subexpression.
    """

    kind: str
    what: str
    expr: Expr
    times: int = 1
    path: Path | None = None
    part: Expr | None = None


def generate_changes(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    """Yield every systematic mistake in one term; constants only where they are specified."""
    yield Change("dropped", "left out", S.Zero)
    yield from _minus_one(expr)
    yield from _of_clients(theorem, expr)
    yield from _noise(theorem, expr)
    yield from _exponents(expr)
    if theorem.kind != "order":
        yield from _constants(expr, theorem.kind == "lower")


def _minus_one(expr: Expr) -> Iterator[Change]:
    for result in sums(expr):
        quantity = next((q for q in (*_COUNTED, m) if result.sum == q - 1), None)
        if quantity is not None:
            text = f"{quantity} for {quantity} - 1{_place_text(expr, result.path)}"
            yield _changed("minus one", text, expr, result.path, result.content * quantity)
    for factor in Mul.make_args(expr):
        base, exponent = factor.as_base_exp()
        if base in _COUNTED and exponent.is_Integer and exponent > 0:
            yield Change("minus one", f"{base} - 1 for {base}", expr / base * (base - 1))


def _of_clients(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    if C not in theorem.quantities:
        return
    measurements = {f.as_base_exp()[0]: f.as_base_exp()[1] for f in Mul.make_args(expr)}
    counted = next((base for base in (m, m - 1) if measurements.get(base, 0) == -1), None)
    if counted is None:
        return
    of = plain(counted) if counted == m else f"({plain(counted)})"
    if measurements.get(C, 0) == -1:
        yield Change("clients", f"{plain(counted)} for C {of}", expr * C)
    elif C not in measurements:
        yield Change("clients", f"C {of} for {plain(counted)}", expr / C)


def _noise(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    names = set(theorem.quantities)
    for dissimilarity in _HETEROGENEITY:
        for one, other in ((sigma, dissimilarity), (dissimilarity, sigma)):
            if expr.has(one) and other in names:
                yield Change("noise", f"{other} for {one}", expr.xreplace({one: other}))


def _exponents(expr: Expr) -> Iterator[Change]:
    for result in powers(expr):
        before, where = plain(result.raised(0)), _place_text(expr, result.path)
        for by in (-1, 1):
            after = result.raised(by)
            lost = abs(result.exponent) == 2 and abs(result.exponent + by) == 1
            text = f"{plain(after)} for {before}" if after != 1 else f"{before} left out"
            yield _changed("square" if lost else "exponent", text + where, expr, result.path, after)


def _constants(expr: Expr, lower: bool) -> Iterator[Change]:
    """Divide numbers by 2, 4, 10; multiply them in a lower bound, where that is the false direction."""
    factor, _ = expr.as_content_primitive()
    for times in TIMES:
        by = Rational(times) if lower else Rational(1, times)
        yield Change("constant", f"{plain(factor * by)} for {plain(factor)}", expr * by, times)
    for result in sums(expr):
        for part in result.sum.args:
            number, _ = part.as_coeff_Mul()
            if not part.is_Number and abs(number) == 1:
                continue
            for times in TIMES:
                text = f"{plain(part / times)} for {plain(part)} in {plain(result.sum)}"
                new = result.content * (result.sum - part + part / times)
                yield _changed("constant", text, expr, result.path, new)


def _changed(kind: str, text: str, expr: Expr, path: Path, part: Expr) -> Change:
    return Change(kind, text, replace_at(expr, path, part), path=path, part=part)


def _place_text(expr: Expr, path: Path) -> str:
    outer = enclosing_expression(expr, path)
    return "" if outer is None else f" in {plain(outer)}"


RELAXED = (2, 10)


def generate_mutants(theorem: Theorem) -> list[Mutant]:
    """Return every mutant once, without those that equal the theorem.

    >>> from boundkit.theorems import theorem
    >>> found = [one.what for one in generate_mutants(theorem("sgd_nonconvex"))]
    >>> found[0], "stochastic noise: 1/2 for 1" in found
    ('initial gap: left out', True)
    """
    return [*_of_terms(theorem), *_of_conditions(theorem)]


def _of_terms(theorem: Theorem) -> Iterator[Mutant]:
    for label, term in theorem.bound.terms.items():
        visited: set[Expr] = {term.expr}
        for change in generate_changes(theorem, term.expr):
            if change.expr in visited:
                continue
            visited.add(change.expr)
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
    """Multiply the larger side; divide the smaller side where the larger is a single quantity."""
    left, right = condition.args
    if "<" in condition.rel_op:
        return condition.func(left, times * right, evaluate=False)
    return condition.func(left, right / times, evaluate=False)
