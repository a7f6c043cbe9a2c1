"""Rounds as formulas: with given rules for the steps, and with the step chosen for the target."""

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
    describe_parts,
    drop_absolute_values,
    geometric_decay,
    pieces,
    unsolved,
)
from boundkit.analysis.crossover import solve_equality
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.rate import Rate, RateCondition
from boundkit.report.formatting import join_names

Rounds = tuple[tuple[Part, ...], dict[str, Expr], list[str]]


def by_rule(under: Rate, goal: Expr) -> Rounds:
    """The rounds after which each term alone is at most the goal; constant terms are error floors.

    Raises BoundkitError for a term that grows with T, or that has no closed form.
    """
    parts: list[Part] = []
    floors: dict[str, Expr] = {}
    for term in under.terms.values():
        for power, rounds in _rounds_of_term(term.label, term.expr, goal):
            if power:
                parts.append(Part(term.label, rounds, f"at which it equals {plain(goal)}"))
            else:
                floors[term.label] = floors.get(term.label, 0) + rounds
    notes = [f"after the largest of these {describe_parts(len(parts), goal)}"]
    for condition in under.conditions:
        needed = _least_rounds(condition)
        if needed is not None:
            parts.append(Part("condition on T", needed, f"from which on {plain(condition.condition)} holds"))
        elif T in condition.under_rules.free_symbols:
            notes.append(f"the rounds must also satisfy {plain(condition.under_rules)}.")
    return tuple(parts), floors, notes


def _rounds_of_term(label: str, expr: Expr, goal: Expr) -> list[tuple[bool, Expr]]:
    """For each summand of a term: whether it decreases with T, and its rounds, or its constant value."""
    bound = at_most(expr)
    if bound == 0:
        return []
    geometric = geometric_decay(bound, goal)
    if geometric is not None:
        amount, rate = geometric
        if T in rate.free_symbols:
            raise unsolved(label, expr)
        return [(True, drop_absolute_values(amount / rate))]
    by_power = powers(bound, T)
    if by_power is not None and all(power <= 0 for power in by_power):
        return [
            (power < 0, drop_absolute_values((c / goal) ** (-1 / power)) if power < 0 else c)
            for power, c in by_power.items()
            if c != 0
        ]
    roots = solve_equality(expr, goal, T) if by_power is None else None
    if not roots:
        raise unsolved(label, expr)
    return [(True, roots[0])]


def _least_rounds(condition: RateCondition) -> Expr | None:
    """The T from which on a condition holds, where it is a monomial in T."""
    under = condition.under_rules
    small, large = (under.lhs, under.rhs) if "<" in under.rel_op else (under.rhs, under.lhs)
    factors = monomial(small / large, T)
    if factors is None or factors[1] >= 0 or T in factors[0].free_symbols:
        return None
    return factors[0] ** (-1 / factors[1])


@dataclass(frozen=True)
class Cap:
    """The step is at most 1/inverse, because of a term (by its label) or a condition (no label)."""

    inverse: Expr
    label: str
    because: str

    @property
    def step(self) -> Expr:
        """The largest step that this allows, 1/inverse."""
        return drop_absolute_values(1 / self.inverse)


def by_choice(theorem: Theorem, goal: Expr) -> Rounds:
    """The rounds with the largest step at which each term alone is at most the target.

    With a server and a client step their product is chosen: terms that grow with the client step at a fixed
    product vanish for a small client step. Raises BoundkitError for a term that is no sum of powers of
    the step and of T.
    """
    both = {eta, eta_s} <= set(theorem.quantities)
    step = Dummy("product", positive=True) if both else eta if eta in theorem.quantities else eta_s
    name = "eta_s eta" if both else str(step)
    substitution = {eta_s: step / eta} if both else {}
    growing: list[Piece] = []
    decreasing: list[Piece | tuple[str, Expr, Expr]] = []
    floors: dict[str, Expr] = {}
    vanishing: dict[str, None] = {}
    for term in theorem.terms:
        expr = at_most(term.expr.subs(substitution))
        geometric = geometric_decay(expr, goal)
        if expr == 0:
            continue
        if geometric is not None:
            if both and eta in geometric[0].free_symbols:
                raise unsolved(term.label, term.expr)
            decreasing.append((term.label, *geometric))
            continue
        for piece in _pieces(term.label, expr, step, both, vanishing):
            if piece.rounds_power > 0 or (piece.rounds_power == 0 and piece.power < 0):
                raise unsolved(term.label, term.expr)
            if piece.rounds_power < 0:
                decreasing.append(piece)
            elif piece.power > 0:
                growing.append(piece)
            else:
                floors[term.label] = floors.get(term.label, 0) + piece.coefficient
    caps = [
        Cap((p.coefficient / goal) ** (1 / p.power), p.label, f"{name} at which it equals {plain(goal)}")
        for p in growing
    ]
    caps += [cap for c in theorem.step_size for cap in _caps(c, substitution, step, both, name)]
    if not caps:
        raise BoundkitError(f"nothing in {theorem.name} limits {name}; give a rule for it.")
    parts = tuple(part for start in decreasing for part in _rounds(start, caps, step, goal, name))
    notes = [f"{name} is chosen for the target: {describe_parts(len(growing) + len(decreasing), goal)}"]
    if vanishing:
        notes.append(f"a small eta at that product makes {join_names(list(vanishing))} negligible.")
    return parts, floors, notes


def _pieces(label: str, expr: Expr, step: Symbol, both: bool, vanishing: dict[str, None]) -> Iterator[Piece]:
    products = pieces(label, expr, step)
    if products is None:
        raise unsolved(label, expr)
    for piece in products:
        alone = monomial(piece.coefficient, eta) if both else None
        if both and (alone is None or alone[1] < 0):
            raise unsolved(label, expr)
        if alone is not None and alone[1] > 0:
            vanishing[label] = None
        else:
            yield piece


def _caps(
    condition: Relational, substitution: dict[Symbol, Expr], step: Symbol, both: bool, name: str
) -> Iterator[Cap]:
    """The caps of a condition; a sum of k parts is at most 1 where each is at most 1/k."""
    sides = [side.subs(substitution) for side in condition.args]
    small, large = sides if "<" in condition.rel_op else sides[::-1]
    if not any({step, eta} & side.free_symbols for side in sides):
        return
    by_power = powers(small / large, step)
    if by_power is None:
        raise BoundkitError(f"the condition {plain(condition)} could not be solved for {name}.")
    for power, coefficient in by_power.items():
        if power > 0 and not (both and eta in coefficient.free_symbols) and T not in coefficient.free_symbols:
            largest = (len(by_power) * coefficient) ** (1 / power)
            yield Cap(largest, "", f"{name} at the limit of its condition")


def _rounds(
    start: Piece | tuple[str, Expr, Expr], caps: list[Cap], step: Symbol, goal: Expr, name: str
) -> Iterator[Part]:
    """The rounds of a decreasing summand, at every step that may be the largest admissible one."""
    if isinstance(start, tuple):
        label, amount, rate = start
        factors = monomial(rate, step)
        if factors is None or factors[1] <= 0:
            raise unsolved(label, rate)
        for cap in caps:
            rounds = drop_absolute_values(
                amount.subs(step, cap.step) / factors[0] * cap.inverse ** factors[1]
            )
            yield Part(cap.label or label, rounds, cap.because, cap.step)
        return
    if start.power < 0:
        for cap in caps:
            rounds = drop_absolute_values(_rounds_of_piece(start, goal, cap.inverse**-start.power))
            yield Part(cap.label or start.label, rounds, cap.because, cap.step)
    elif start.power == 0:
        yield Part(start.label, _rounds_of_piece(start, goal, Rational(1)), "at any step")
    else:
        conditions = [cap for cap in caps if not cap.label] or caps
        rounds = _rounds_of_piece(start, goal, conditions[0].inverse ** -start.power)
        yield Part(start.label, rounds, conditions[0].because, conditions[0].step)


def _rounds_of_piece(piece: Piece, goal: Expr, stepped: Expr) -> Expr:
    return (piece.coefficient * stepped / goal) ** (-1 / piece.rounds_power)
