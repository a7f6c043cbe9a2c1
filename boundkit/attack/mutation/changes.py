"""The ways in which one term may be written down wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr, Mul, Rational, S

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
from boundkit.attack.mutation.subexpressions import Path, around, powers, put, sums

TIMES = (2, 4, 10)
_COUNTED = (tau, tau_felt, tau_max, groups)
"""Letters for which one less is often meant, or forgotten."""
_UNLIKE = (sigma_g, kappa, sigma_c, sigma_within, sigma_between, sigma_star, zeta)
"""Letters of unlike clients, which are gradients as the noise is."""


@dataclass(frozen=True)
class Change:
    """A kind of mistake, in words, and the term with it. ``times``: what a constant before it all is over.

    ``path``, ``part``: the place of the mistake, and what stands there now.
    """

    kind: str
    what: str
    expr: Expr
    times: int = 1
    path: Path | None = None
    part: Expr | None = None


def changes(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    """Every systematic mistake in one term, some of them alike; constants only where they are known."""
    yield Change("dropped", "left out", S.Zero)
    yield from _minus_one(expr)
    yield from _of_clients(theorem, expr)
    yield from _noise(theorem, expr)
    yield from _exponents(expr)
    if theorem.kind != "order":
        yield from _constants(expr, theorem.kind == "lower")


def _minus_one(expr: Expr) -> Iterator[Change]:
    for found in sums(expr):
        letter = next((q for q in (*_COUNTED, m) if found.sum == q - 1), None)
        if letter is not None:
            said = f"{letter} for {letter} - 1{_where(expr, found.path)}"
            yield _changed("minus one", said, expr, found.path, found.content * letter)
    for factor in Mul.make_args(expr):
        base, exponent = factor.as_base_exp()
        if base in _COUNTED and exponent.is_Integer and exponent > 0:
            yield Change("minus one", f"{base} - 1 for {base}", expr / base * (base - 1))


def _of_clients(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    if C not in theorem.quantities:
        return
    held = {f.as_base_exp()[0]: f.as_base_exp()[1] for f in Mul.make_args(expr)}
    counted = next((base for base in (m, m - 1) if held.get(base, 0) == -1), None)
    if counted is None:
        return
    of = plain(counted) if counted == m else f"({plain(counted)})"
    if held.get(C, 0) == -1:
        yield Change("clients", f"{plain(counted)} for C {of}", expr * C)
    elif C not in held:
        yield Change("clients", f"C {of} for {plain(counted)}", expr / C)


def _noise(theorem: Theorem, expr: Expr) -> Iterator[Change]:
    known = set(theorem.quantities)
    for unlike in _UNLIKE:
        for one, other in ((sigma, unlike), (unlike, sigma)):
            if expr.has(one) and other in known:
                yield Change("noise", f"{other} for {one}", expr.xreplace({one: other}))


def _exponents(expr: Expr) -> Iterator[Change]:
    for found in powers(expr):
        before, where = plain(found.raised(0)), _where(expr, found.path)
        for by in (-1, 1):
            after = found.raised(by)
            lost = abs(found.exponent) == 2 and abs(found.exponent + by) == 1
            said = f"{plain(after)} for {before}" if after != 1 else f"{before} left out"
            yield _changed("square" if lost else "exponent", said + where, expr, found.path, after)


def _constants(expr: Expr, lower: bool) -> Iterator[Change]:
    """Numbers over 2, 4, 10; times 2, 4, 10 in a lower bound, which is the false direction there."""
    factor, _ = expr.as_content_primitive()
    for times in TIMES:
        by = Rational(times) if lower else Rational(1, times)
        yield Change("constant", f"{plain(factor * by)} for {plain(factor)}", expr * by, times)
    for found in sums(expr):
        for part in found.sum.args:
            number, _ = part.as_coeff_Mul()
            if not part.is_Number and abs(number) == 1:
                continue
            for times in TIMES:
                said = f"{plain(part / times)} for {plain(part)} in {plain(found.sum)}"
                new = found.content * (found.sum - part + part / times)
                yield _changed("constant", said, expr, found.path, new)


def _changed(kind: str, said: str, expr: Expr, path: Path, part: Expr) -> Change:
    return Change(kind, said, put(expr, path, part), path=path, part=part)


def _where(expr: Expr, path: Path) -> str:
    outer = around(expr, path)
    return "" if outer is None else f" in {plain(outer)}"
