"""Largest number of local steps with linear speed-up: terms of order 1/(m tau) equal the largest other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Max, Rational, factor_terms
from sympy.core.relational import Relational

from boundkit.algebra.notation import T, eta, eta_s, m, tau
from boundkit.algebra.printing import plain
from boundkit.analysis.complexity.result import Ceiling, Part
from boundkit.analysis.complexity.term_factors import root
from boundkit.analysis.powers import monomial, powers


@dataclass(frozen=True)
class TauPiece:
    """coefficient * tau**power of the rounds."""

    label: str
    coefficient: Expr
    power: Rational


def speed_up(parts: Iterable[Part]) -> tuple[list[TauPiece], list[TauPiece], list[str]]:
    """The summands of order 1/(m tau), the other ones, and the labels of parts without powers of tau.

    Upper bounds keep the formulas short: tau for tau - 1, the sum for a maximum, and no negative summands.
    """
    first: list[TauPiece] = []
    rest: list[TauPiece] = []
    unresolved: dict[str, None] = {}
    for part in parts:
        by_power = powers(part.expr.subs(tau - 1, tau).replace(Max, Add), tau)
        if by_power is None:
            unresolved[part.label] = None
            continue
        for power, coefficient in by_power.items():
            if coefficient.could_extract_minus_sign():
                continue
            clients = monomial(factor_terms(coefficient), m)
            linear = power == -1 and clients is not None and clients[1] == -1
            (first if linear else rest).append(TauPiece(part.label, coefficient, power))
    return first, rest, list(unresolved)


def ceilings(
    first: Sequence[TauPiece], rest: Sequence[TauPiece], conditions: Iterable[Relational]
) -> tuple[Ceiling, ...]:
    """Every limit on tau: equality of another term with those of order 1/(m tau), and the conditions."""
    if not first:
        return ()
    leading = Add(*(piece.coefficient for piece in first))
    limits = [
        Ceiling(
            factor_terms(root(leading / piece.coefficient, 1 / (1 + piece.power))),
            f"there the {piece.label} needs as many rounds",
        )
        for piece in rest
        if piece.power > -1
    ]
    limits += [
        Ceiling(limit, f"the condition {plain(c)}") for c in conditions if (limit := _limit(c)) is not None
    ]
    return tuple({ceiling.expr: ceiling for ceiling in reversed(limits)}.values())[::-1]


def _limit(condition: Relational) -> Expr | None:
    """The largest tau of a condition on tau alone."""
    if {eta, eta_s, T} & condition.free_symbols:
        return None
    small, large = (
        (condition.lhs, condition.rhs) if "<" in condition.rel_op else (condition.rhs, condition.lhs)
    )
    factors = monomial((small / large).subs(tau - 1, tau), tau)
    return None if factors is None or factors[1] <= 0 else root(factors[0], -1 / factors[1])
