"""``bk.complexity``: rounds to a target as formulas, and the number of local steps with linear speed-up.

The rounds follow from a bound in one of three ways. A theorem on the rounds states them. Where rules set the
steps, each term is solved for T. A free step is chosen for the target: as large as every growing term and
every condition allow, each of which yields a number of rounds.

Local steps give a linear speed-up as long as the terms of order 1/(m tau) are the largest: the largest tau is
where they equal the largest of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sympy import Add, Expr, Max, Rational, S, factor_terms
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Claim, Quantity, Theorem
from boundkit.algebra.dimension import GRADIENT, ONE
from boundkit.algebra.domain import POSITIVE, sides
from boundkit.algebra.notation import T, eta, eta_s, m, target, tau
from boundkit.algebra.printing import plain
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.complexity.result import Complexity, ComplexityTable, LocalStepLimit, TermComplexity
from boundkit.analysis.complexity.step_choice import by_choice, by_rule, root
from boundkit.analysis.powers import monomial, powers
from boundkit.analysis.rate import rate

_STATED = "as stated by the theorem"

__all__ = [
    "Complexity",
    "ComplexityTable",
    "complexity",
    "complexity_or_table",
    "table_of",
    "without_constants",
]


def complexity(
    theorem: Theorem, /, eta: str | Expr | None = None, eta_s: str | Expr | None = None
) -> Complexity:
    """Rounds until the bound is at the target, term by term, and the largest tau with linear speed-up.

    ``eta`` and ``eta_s`` are rules as ``rate`` takes them. Raises BoundkitError where a bound has neither
    rounds nor a target in it, and where a term is no formula that can be solved for rounds.

    >>> from boundkit.theorems import theorem
    >>> complexity(theorem("sgd_nonconvex")).rounds["stochastic noise"]
    2*L*gap*sigma**2/(m*target**4)
    """
    scalar = without_constants(homogeneous_form(theorem))
    goal = target_expression(theorem.claim)
    states_rounds = theorem.claim.summary == "first" and target in scalar.quantities
    if not states_rounds and T not in scalar.quantities:
        raise BoundkitError(
            f"{theorem.name} has neither rounds T nor a target in it, so that no number of rounds follows."
        )
    ruled = eta is not None or eta_s is not None
    rules: dict[str, Expr] = {}
    floors: dict[str, Expr] = {}
    notes: list[str] = []
    if states_rounds and not ruled:
        parts = tuple(TermComplexity(t.label, t.expr, _STATED) for t in scalar.terms)
    elif ruled or not _has_step(scalar):
        under = rate(scalar, eta=eta, eta_s=eta_s)
        rules = under.rules
        if states_rounds:
            parts = tuple(TermComplexity(t.label, t.expr, _STATED) for t in under.terms.values())
        else:
            parts, floors, notes = by_rule(under, goal)
    else:
        parts, floors, notes = by_choice(scalar, goal)
    first, rest, unresolved = speed_up(parts)
    notes += [f"{label} is no sum of powers of tau, so that it gives no limit here." for label in unresolved]
    alone = dict.fromkeys(piece.label for piece in rest if first and piece.power <= -1)
    notes += [f"{label} decreases as fast with tau, but not with m." for label in alone]
    return Complexity(
        theorem=theorem,
        goal=goal,
        rules=rules,
        parts=parts,
        floors=floors,
        first=tuple(dict.fromkeys(piece.label for piece in first)),
        iterations=factor_terms(Add(*(piece.coefficient for piece in first))) if first else None,
        ceilings=ceilings(first, rest, scalar.step_size),
        notes=tuple(notes),
    )


def table_of(theorems: Iterable[Theorem]) -> ComplexityTable:
    """Table of the rounds to a target, of those ``theorems`` that bound the order of the rounds.

    Raises BoundkitError where none does.
    """
    complexities = [complexity(t) for t in theorems if t.claim.summary == "first" and t.kind == "order"]
    if not complexities:
        raise BoundkitError("none of these theorems bounds the order of the rounds to a target.")
    return ComplexityTable.of(complexities)


def complexity_or_table(
    theorem: Theorem | None,
    theorems: Iterable[Theorem],
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
) -> Complexity | ComplexityTable:
    """The complexity of a theorem; without one, the table of all.

    Raises BoundkitError for a rule without a theorem.
    """
    if theorem is not None:
        return complexity(theorem, eta=eta, eta_s=eta_s)
    if eta is not None or eta_s is not None:
        raise BoundkitError("a rule for a step needs a theorem.")
    return table_of(theorems)


def without_constants(theorem: Theorem) -> Theorem:
    """The theorem with the constants that its source leaves unspecified set to 1."""
    ones = {q: S.One for q in theorem.quantities if _is_open(q)}
    if not ones:
        return theorem

    def substitute(condition: Relational) -> Relational:
        return condition.func(condition.lhs.xreplace(ones), condition.rhs.xreplace(ones), evaluate=False)

    return replace(
        theorem,
        terms=tuple(replace(t, expr=t.expr.xreplace(ones)) for t in theorem.terms),
        step_size=tuple(substitute(c) for c in theorem.step_size),
        reductions=(),
        limits=(),
    )


def target_expression(claim: Claim) -> Expr:
    """The target as an expression: target for a gradient and for rounds, target^2 for a squared gradient.

    It is eps for any other claim.

    >>> from boundkit.algebra.vocabulary import MEAN_LOSS_GAP, MEAN_SQUARED_GRADIENT
    >>> target_expression(MEAN_SQUARED_GRADIENT), target_expression(MEAN_LOSS_GAP)
    (target**2, eps)
    """
    if claim.dimension == GRADIENT**2:
        return target**2
    if claim.dimension in (GRADIENT, ONE):
        return target
    return Quantity("eps", r"\varepsilon", "target of the bound", POSITIVE, claim.dimension, 0.1)


def _has_step(theorem: Theorem) -> bool:
    return bool({eta, eta_s} & {q for t in theorem.terms for q in t.expr.free_symbols})


def _is_open(quantity: Quantity) -> bool:
    return re.fullmatch(r"c_\d+", quantity.name) is not None


@dataclass(frozen=True)
class TauPiece:
    """coefficient * tau**power of the rounds."""

    label: str
    coefficient: Expr
    power: Rational


def speed_up(parts: Iterable[TermComplexity]) -> tuple[list[TauPiece], list[TauPiece], list[str]]:
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
) -> tuple[LocalStepLimit, ...]:
    """Every limit on tau: equality of another term with those of order 1/(m tau), and the conditions."""
    if not first:
        return ()
    leading = Add(*(piece.coefficient for piece in first))
    limits = [
        LocalStepLimit(
            factor_terms(root(leading / piece.coefficient, 1 / (1 + piece.power))),
            f"there the {piece.label} needs as many rounds",
        )
        for piece in rest
        if piece.power > -1
    ]
    limits += [
        LocalStepLimit(limit, f"the condition {plain(c)}")
        for c in conditions
        if (limit := _limit(c)) is not None
    ]
    return tuple({ceiling.expr: ceiling for ceiling in reversed(limits)}.values())[::-1]


def _limit(condition: Relational) -> Expr | None:
    """The largest tau of a condition on tau alone."""
    if {eta, eta_s, T} & condition.free_symbols:
        return None
    small, large = sides(condition)
    factors = monomial((small / large).subs(tau - 1, tau), tau)
    return None if factors is None or factors[1] <= 0 else root(factors[0], -1 / factors[1])
