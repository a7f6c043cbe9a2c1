"""Rounds as formulas, with given rules for the steps or the step chosen for the target.

Terms are factorised into powers of a step and of the rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from sympy import Abs, Add, Dummy, Expr, Pow, Rational, S, Symbol, factor_terms, log
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import T, eta, eta_s
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import TermComplexity
from boundkit.analysis.crossover import solve_equality
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.rate import Rate, RateCondition
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class PowerLawTerm:
    """coefficient * step**power * T**rounds_power of a term, all else in the coefficient."""

    label: str
    coefficient: Expr
    power: Rational
    rounds_power: Rational


def pieces(label: str, expr: Expr, step: Symbol) -> list[PowerLawTerm] | None:
    """The term as a sum of such products; None where it has no such form."""
    by_power = powers(expr, step)
    if by_power is None:
        return None
    parts: list[PowerLawTerm] = []
    for power, coefficient in by_power.items():
        inside = powers(coefficient, T)
        if inside is None:
            return None
        parts += [PowerLawTerm(label, c, power, q) for q, c in inside.items() if c != 0]
    return parts


def at_most(expr: Expr) -> Expr:
    """A simpler upper bound of an expression: 1 for 1 - z^T, and a T for a T + b in a denominator.

    >>> from boundkit.algebra.notation import mu, eta, tau, offset
    >>> at_most((1 - (1 - mu * eta) ** T) / (tau * T + offset))
    1/(T*tau)
    """
    return expr.replace(_is_approach, lambda e: S.One).replace(_is_shifted, _unshifted)


def geometric_decay(expr: Expr, goal: Expr) -> tuple[Expr, Expr] | None:
    """For a (1 - z)^(k T): the sufficient rounds log(a/goal)/(k z), as the pair log(a/goal)/k and z.

    (1 - z)^n is at most exp(-n z). None for any other form.
    """
    factors = [p for p in expr.atoms(Pow) if T in p.exp.free_symbols]
    if len(factors) != 1:
        return None
    base, exponent = factors[0].as_base_exp()
    amount, slope = expr / factors[0], monomial(exponent, T)
    if T in amount.free_symbols or T in base.free_symbols or slope is None or slope[1] != 1:
        return None
    return log(amount / goal) / slope[0], 1 - base


def describe_parts(count: int, goal: Expr) -> str:
    """State what the rounds guarantee, as the end of a sentence.

    >>> describe_parts(4, Symbol("target") ** 2)
    'each of 4 parts of the bound is at most target^2, and their sum at most 4 times that.'
    """
    if count == 1:
        return f"the bound is at most {plain(goal)}."
    return (
        f"each of {count} parts of the bound is at most {plain(goal)}, "
        f"and their sum at most {count} times that."
    )


def unsolved(label: str, expr: Expr) -> BoundkitError:
    """The error for a term that cannot be solved for the rounds."""
    return BoundkitError(
        f"the term {label!r}, {plain(expr)}, is no sum of powers of the step and of T, so that no formula "
        "gives its rounds."
    )


def drop_absolute_values(expr: Expr) -> Expr:
    """The expression without the bars of |groups - 1| and the like, which the domains make superfluous."""
    return expr.replace(lambda e: isinstance(e, Abs) and _never_negative(e.args[0]), lambda e: e.args[0])


def root(expr: Expr, power: Rational) -> Expr:
    """expr**power, with the power distributed over factors that their domains make nonnegative.

    >>> from boundkit.algebra.notation import C, m, sigma_g
    >>> root((m - 1) ** 2 / (sigma_g**4 * (1 - C) ** 2), Rational(1, 2))
    (m - 1)/(sigma_g**2*(1 - C))
    """
    parts = expr.atoms(Add, Symbol)
    dummies = {part: Dummy(positive=True) for part in parts if _never_negative(part)}
    originals = {dummy: part for part, dummy in dummies.items()}
    return (factor_terms(expr).xreplace(dummies) ** power).xreplace(originals)


def _never_negative(expr: Expr) -> bool:
    """Whether an expression, monotone in each quantity, is at least 0 at its minimum over the domains."""
    ends: dict[Symbol, Rational] = {}
    for quantity in expr.free_symbols:
        if not isinstance(quantity, Quantity):
            return False
        slope, domain = expr.diff(quantity), quantity.domain
        if slope.is_nonnegative:
            ends[quantity] = Rational(domain.lower)
        elif slope.is_nonpositive and isfinite(domain.upper):
            ends[quantity] = Rational(domain.upper)
        else:
            return False
    return bool(expr.subs(ends) >= 0)


def _is_approach(expr: Expr) -> bool:
    """1 - base^(... T ...)"""
    if not isinstance(expr, Add) or len(expr.args) != 2 or S.One not in expr.args:
        return False
    other = -(expr - 1)
    return isinstance(other, Pow) and T in other.exp.free_symbols


def _is_shifted(expr: Expr) -> bool:
    if not (isinstance(expr, Pow) and expr.exp.is_negative and isinstance(expr.base, Add)):
        return False
    rest = [a for a in expr.base.args if T not in a.free_symbols]
    falling = [a for a in expr.base.args if T in a.free_symbols]
    return bool(rest and falling) and all(_nonnegative(a, expr.base) for a in rest)


def _nonnegative(part: Expr, whole: Expr) -> bool:
    # tau - 1 is a sum of two parts: -1 is compensated by tau
    return bool(part.is_nonnegative) or (
        part == -1 and any(a.is_positive and not a.has(T) for a in whole.args)
    )


def _unshifted(expr: Expr) -> Expr:
    return Pow(Add(*(a for a in expr.base.args if T in a.free_symbols)), expr.exp)


Rounds = tuple[tuple[TermComplexity, ...], dict[str, Expr], list[str]]


def by_rule(under: Rate, goal: Expr) -> Rounds:
    """The rounds after which each term alone is at most the goal; constant terms are error floors.

    Raises BoundkitError for a term that grows with T, or that has no closed form.
    """
    parts: list[TermComplexity] = []
    floors: dict[str, Expr] = {}
    for term in under.terms.values():
        for power, rounds in _rounds_of_term(term.label, term.expr, goal):
            if power:
                parts.append(TermComplexity(term.label, rounds, f"at which it equals {plain(goal)}"))
            else:
                floors[term.label] = floors.get(term.label, 0) + rounds
    notes = [f"after the largest of these {describe_parts(len(parts), goal)}"]
    for condition in under.conditions:
        needed = _least_rounds(condition)
        if needed is not None:
            parts.append(
                TermComplexity("condition on T", needed, f"from which on {plain(condition.condition)} holds")
            )
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
    small, large = sides(under)
    factors = monomial(small / large, T)
    if factors is None or factors[1] >= 0 or T in factors[0].free_symbols:
        return None
    return factors[0] ** (-1 / factors[1])


@dataclass(frozen=True)
class StepLimit:
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
    growing: list[PowerLawTerm] = []
    decreasing: list[PowerLawTerm | tuple[str, Expr, Expr]] = []
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
        StepLimit(
            (p.coefficient / goal) ** (1 / p.power), p.label, f"{name} at which it equals {plain(goal)}"
        )
        for p in growing
    ]
    caps += [cap for c in theorem.step_size for cap in _caps(c, substitution, step, both, name)]
    if not caps:
        raise BoundkitError(f"nothing in {theorem.name} limits {name}; give a rule for it.")
    # where all of them grow with the step, the step for the target comes from the others' limits alone
    grow = all(isinstance(start, PowerLawTerm) and start.power > 0 for start in decreasing)
    parts = tuple(part for start in decreasing for part in _rounds(start, caps, step, goal, name, grow))
    notes = [f"{name} is chosen for the target: {describe_parts(len(growing) + len(decreasing), goal)}"]
    if vanishing:
        notes.append(f"a small eta at that product makes {join_names(list(vanishing))} negligible.")
    return parts, floors, notes


def _pieces(
    label: str, expr: Expr, step: Symbol, both: bool, vanishing: dict[str, None]
) -> Iterator[PowerLawTerm]:
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
) -> Iterator[StepLimit]:
    """The caps of a condition; a sum of k parts is at most 1 where each is at most 1/k."""
    small, large = (side.subs(substitution) for side in sides(condition))
    if not {step, eta} & (small.free_symbols | large.free_symbols):
        return
    by_power = powers(small / large, step)
    if by_power is None:
        raise BoundkitError(f"the condition {plain(condition)} could not be solved for {name}.")
    for power, coefficient in by_power.items():
        if power > 0 and not (both and eta in coefficient.free_symbols) and T not in coefficient.free_symbols:
            largest = (len(by_power) * coefficient) ** (1 / power)
            yield StepLimit(largest, "", f"{name} at the limit of its condition")


def _rounds(
    start: PowerLawTerm | tuple[str, Expr, Expr],
    caps: list[StepLimit],
    step: Symbol,
    goal: Expr,
    name: str,
    grow: bool,
) -> Iterator[TermComplexity]:
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
            yield TermComplexity(cap.label or label, rounds, cap.because, cap.step)
        return
    if start.power < 0:
        for cap in caps:
            rounds = drop_absolute_values(_rounds_of_piece(start, goal, cap.inverse**-start.power))
            yield TermComplexity(cap.label or start.label, rounds, cap.because, cap.step)
    elif start.power == 0:
        yield TermComplexity(start.label, _rounds_of_piece(start, goal, Rational(1)), "at any step")
    else:
        conditions = [cap for cap in caps if not cap.label] or caps
        for cap in caps if grow else conditions[:1]:
            rounds = drop_absolute_values(_rounds_of_piece(start, goal, cap.inverse**-start.power))
            yield TermComplexity(cap.label or start.label, rounds, cap.because, cap.step)


def _rounds_of_piece(piece: PowerLawTerm, goal: Expr, stepped: Expr) -> Expr:
    return (piece.coefficient * stepped / goal) ** (-1 / piece.rounds_power)
