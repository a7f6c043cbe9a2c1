"""The one rule: local steps save rounds until the terms that fall as 1/(m tau) equal the largest other."""

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
    """What falls as 1/(m tau), what does not, and the labels of what is no sum of powers of tau.

    Counted a little too much, so that the formulas stay short: tau - 1 as tau, a maximum as the sum, and
    what is taken away not at all.
    """
    first: list[TauPiece] = []
    rest: list[TauPiece] = []
    odd: dict[str, None] = {}
    for part in parts:
        found = powers(part.expr.subs(tau - 1, tau).replace(Max, Add), tau)
        if found is None:
            odd[part.label] = None
            continue
        for power, coefficient in found.items():
            if coefficient.could_extract_minus_sign():
                continue
            clients = monomial(factor_terms(coefficient), m)
            linear = power == -1 and clients is not None and clients[1] == -1
            (first if linear else rest).append(TauPiece(part.label, coefficient, power))
    return first, rest, list(odd)


def ceilings(
    first: Sequence[TauPiece], rest: Sequence[TauPiece], conditions: Iterable[Relational]
) -> tuple[Ceiling, ...]:
    """Every limit on tau: where another term is as large as those that fall as 1/(m tau), and conditions."""
    if not first:
        return ()
    leading = Add(*(piece.coefficient for piece in first))
    found = [
        Ceiling(
            factor_terms(root(leading / piece.coefficient, 1 / (1 + piece.power))),
            f"there the {piece.label} asks for as many rounds",
        )
        for piece in rest
        if piece.power > -1
    ]
    found += [
        Ceiling(limit, f"the condition {plain(c)}") for c in conditions if (limit := _limit(c)) is not None
    ]
    return tuple({ceiling.expr: ceiling for ceiling in reversed(found)}.values())[::-1]


def _limit(condition: Relational) -> Expr | None:
    """What a condition on tau alone allows it to be."""
    if {eta, eta_s, T} & condition.free_symbols:
        return None
    small, large = (
        (condition.lhs, condition.rhs) if "<" in condition.rel_op else (condition.rhs, condition.lhs)
    )
    found = monomial((small / large).subs(tau - 1, tau), tau)
    return None if found is None or found[1] <= 0 else root(found[0], -1 / found[1])
