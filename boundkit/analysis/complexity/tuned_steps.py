"""Rounds where the step is free: as large as each growing term, and each condition, allow for the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Dummy, Expr, Rational, Symbol
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T, eta, eta_s
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import Part
from boundkit.analysis.complexity.term_factors import (
    Piece,
    at_most,
    bare,
    forgetting,
    pieces,
    shares,
    unsolved,
)
from boundkit.analysis.powers import monomial, powers
from boundkit.report.formatting import join_names

Answer = tuple[tuple[Part, ...], dict[str, Expr], list[str]]


@dataclass(frozen=True)
class Cap:
    """The step is at most 1/inverse, because of a term (by its label) or a condition (no label)."""

    inverse: Expr
    label: str
    because: str

    @property
    def step(self) -> Expr:
        """The largest step that this allows, 1/inverse."""
        return bare(1 / self.inverse)


def by_choice(theorem: Theorem, aim: Expr) -> Answer:
    """Each term at most the target alone, by the largest such step.

    With a step at each end it is their product that is chosen: what feels the client's alone is bought off by
    a small client step. Raises BoundkitError where a term is no sum of powers of the step and of T.
    """
    both = {eta, eta_s} <= set(theorem.quantities)
    step = Dummy("product", positive=True) if both else eta if eta in theorem.quantities else eta_s
    name = "eta_s eta" if both else str(step)
    put = {eta_s: step / eta} if both else {}
    growing: list[Piece] = []
    starts: list[Piece | tuple[str, Expr, Expr]] = []
    floors: dict[str, Expr] = {}
    bought: dict[str, None] = {}
    for term in theorem.terms:
        expr = at_most(term.expr.subs(put))
        forgotten = forgetting(expr, aim)
        if expr == 0:
            continue
        if forgotten is not None:
            if both and eta in forgotten[0].free_symbols:
                raise unsolved(term.label, term.expr)
            starts.append((term.label, *forgotten))
            continue
        for piece in _pieces(term.label, expr, step, both, bought):
            if piece.falls > 0 or (piece.falls == 0 and piece.power < 0):
                raise unsolved(term.label, term.expr)
            if piece.falls < 0:
                starts.append(piece)
            elif piece.power > 0:
                growing.append(piece)
            else:
                floors[term.label] = floors.get(term.label, 0) + piece.coefficient
    caps = [
        Cap((p.coefficient / aim) ** (1 / p.power), p.label, f"{name} at which it is the target")
        for p in growing
    ]
    caps += [cap for c in theorem.step_size for cap in _caps(c, put, step, both, name)]
    if not caps:
        raise BoundkitError(f"nothing in {theorem.name} limits {name}; give a rule for it.")
    parts = tuple(part for start in starts for part in _rounds(start, caps, step, aim, name))
    notes = [f"{name} is chosen for the target: {shares(len(growing) + len(starts))}"]
    if bought:
        notes.append(f"a small eta at that product buys off {join_names(list(bought))}.")
    return parts, floors, notes


def _pieces(label: str, expr: Expr, step: Symbol, both: bool, bought: dict[str, None]) -> Iterator[Piece]:
    found = pieces(label, expr, step)
    if found is None:
        raise unsolved(label, expr)
    for piece in found:
        alone = monomial(piece.coefficient, eta) if both else None
        if both and (alone is None or alone[1] < 0):
            raise unsolved(label, expr)
        if alone is not None and alone[1] > 0:
            bought[label] = None
        else:
            yield piece


def _caps(
    condition: Relational, put: dict[Symbol, Expr], step: Symbol, both: bool, name: str
) -> Iterator[Cap]:
    """What a condition allows; a sum of k parts is at most 1 where each is at most 1/k."""
    sides = [side.subs(put) for side in condition.args]
    small, large = sides if "<" in condition.rel_op else sides[::-1]
    if not any({step, eta} & side.free_symbols for side in sides):
        return
    found = powers(small / large, step)
    if found is None:
        raise BoundkitError(f"the condition {plain(condition)} could not be solved for {name}.")
    for power, coefficient in found.items():
        if power > 0 and not (both and eta in coefficient.free_symbols) and T not in coefficient.free_symbols:
            largest = (len(found) * coefficient) ** (1 / power)
            yield Cap(largest, "", f"{name} as large as its condition allows")


def _rounds(
    start: Piece | tuple[str, Expr, Expr], caps: list[Cap], step: Symbol, aim: Expr, name: str
) -> Iterator[Part]:
    """The rounds of what falls with T, at every step that may be the largest allowed."""
    if isinstance(start, tuple):
        label, amount, rate = start
        found = monomial(rate, step)
        if found is None or found[1] <= 0:
            raise unsolved(label, rate)
        for cap in caps:
            rounds = bare(amount.subs(step, cap.step) / found[0] * cap.inverse ** found[1])
            yield Part(cap.label or label, rounds, cap.because, cap.step)
        return
    if start.power < 0:
        for cap in caps:
            rounds = bare(_solved(start, aim, cap.inverse**-start.power))
            yield Part(cap.label or start.label, rounds, cap.because, cap.step)
    elif start.power == 0:
        yield Part(start.label, _solved(start, aim, Rational(1)), "at any step")
    else:
        conditions = [cap for cap in caps if not cap.label] or caps
        rounds = _solved(start, aim, conditions[0].inverse ** -start.power)
        yield Part(start.label, rounds, conditions[0].because, conditions[0].step)


def _solved(piece: Piece, aim: Expr, stepped: Expr) -> Expr:
    return (piece.coefficient * stepped / aim) ** (-1 / piece.falls)
