"""``bk.complexity``: rounds for a target as formulas, and how much local work saves rounds.

Rounds come from a bound in one of three ways. A theorem that bounds the rounds has them already. Where
rules set the steps, each term is solved for T. Where a step is free it is chosen for the target: as large
as every growing term and every condition allow, each of which then is a number of rounds.

Local steps save rounds as long as the terms that fall as 1/(m tau) are the largest. One rule says how long:
the largest tau is where they equal the largest of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sympy import Add, Expr, S, factor_terms
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.notation import T, eta, eta_s, target
from boundkit.analysis.client_values import alike
from boundkit.analysis.complexity.largest_local_steps import ceilings, speed_up
from boundkit.analysis.complexity.result import Complexity, Part
from boundkit.analysis.complexity.ruled_steps import by_rule
from boundkit.analysis.complexity.table import Table
from boundkit.analysis.complexity.target_formula import aim_of
from boundkit.analysis.complexity.tuned_steps import by_choice
from boundkit.analysis.rate import rate

_STATED = "as the theorem states it"

__all__ = ["Complexity", "Table", "complexity", "complexity_or_table", "table_of", "without_constants"]


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
    scalar = without_constants(alike(theorem))
    aim = aim_of(theorem.claim)
    counted = theorem.claim.summary == "first" and target in scalar.quantities
    if not counted and T not in scalar.quantities:
        raise BoundkitError(
            f"{theorem.name} has neither rounds T nor a target in it, so that no number of rounds follows."
        )
    ruled = eta is not None or eta_s is not None
    rules: dict[str, Expr] = {}
    floors: dict[str, Expr] = {}
    notes: list[str] = []
    if counted and not ruled:
        parts = tuple(Part(t.label, t.expr, _STATED) for t in scalar.terms)
    elif ruled or not _has_step(scalar):
        under = rate(scalar, eta=eta, eta_s=eta_s)
        rules = under.rules
        if counted:
            parts = tuple(Part(t.label, t.expr, _STATED) for t in under.terms.values())
        else:
            parts, floors, notes = by_rule(under, aim)
    else:
        parts, floors, notes = by_choice(scalar, aim)
    first, rest, odd = speed_up(parts)
    notes += [f"{label} is no sum of powers of tau, so that it sets no limit here." for label in odd]
    alone = dict.fromkeys(piece.label for piece in rest if first and piece.power <= -1)
    notes += [f"{label} falls as fast with tau, but not with m." for label in alone]
    return Complexity(
        theorem=theorem,
        aim=aim,
        rules=rules,
        parts=parts,
        floors=floors,
        first=tuple(dict.fromkeys(piece.label for piece in first)),
        iterations=factor_terms(Add(*(piece.coefficient for piece in first))) if first else None,
        ceilings=ceilings(first, rest, scalar.step_size),
        notes=tuple(notes),
    )


def table_of(theorems: Iterable[Theorem]) -> Table:
    """The rounds of several theorems for one target, side by side: those of ``theorems`` that bound rounds.

    Raises BoundkitError where none does.
    """
    found = [complexity(t) for t in theorems if t.claim.summary == "first" and t.kind == "order"]
    if not found:
        raise BoundkitError("none of these theorems bounds the rounds for a target in order.")
    return Table.of(found)


def complexity_or_table(
    theorem: Theorem | None,
    theorems: Iterable[Theorem],
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
) -> Complexity | Table:
    """The complexity of a theorem; without one, the table of all.

    Raises BoundkitError for a rule without a theorem.
    """
    if theorem is not None:
        return complexity(theorem, eta=eta, eta_s=eta_s)
    if eta is not None or eta_s is not None:
        raise BoundkitError("a rule for a step needs a theorem to put it into.")
    return table_of(theorems)


def without_constants(theorem: Theorem) -> Theorem:
    """The theorem with the numbers that its source leaves open set to 1."""
    ones = {q: S.One for q in theorem.quantities if _is_open(q)}
    if not ones:
        return theorem

    def put(condition: Relational) -> Relational:
        return condition.func(condition.lhs.xreplace(ones), condition.rhs.xreplace(ones), evaluate=False)

    return replace(
        theorem,
        terms=tuple(replace(t, expr=t.expr.xreplace(ones)) for t in theorem.terms),
        step_size=tuple(put(c) for c in theorem.step_size),
        reductions=(),
        limits=(),
    )


def _has_step(theorem: Theorem) -> bool:
    return bool({eta, eta_s} & {q for t in theorem.terms for q in t.expr.free_symbols})


def _is_open(quantity: Quantity) -> bool:
    return re.fullmatch(r"c_\d+", quantity.name) is not None
