"""Factorisation of a term into powers of a step and of the rounds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from sympy import Abs, Add, Dummy, Expr, Pow, Rational, S, Symbol, factor_terms, log

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.notation import T
from boundkit.algebra.printing import plain
from boundkit.analysis.powers import monomial, powers


@dataclass(frozen=True)
class Piece:
    """coefficient * step**power * T**rounds_power of a term, all else in the coefficient."""

    label: str
    coefficient: Expr
    power: Rational
    rounds_power: Rational


def pieces(label: str, expr: Expr, step: Symbol) -> list[Piece] | None:
    """The term as a sum of such products; None where it has no such form."""
    by_power = powers(expr, step)
    if by_power is None:
        return None
    parts: list[Piece] = []
    for power, coefficient in by_power.items():
        inside = powers(coefficient, T)
        if inside is None:
            return None
        parts += [Piece(label, c, power, q) for q, c in inside.items() if c != 0]
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
