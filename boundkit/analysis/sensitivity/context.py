"""Context of a sensitivity: the terms of a bound after replacements, its conditions and admissible set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sympy import Abs, Add, Expr, Ge, Piecewise, Rational, Symbol, oo
from sympy.core.relational import Relational

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import T, eta, eta_s, quantities_of
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.powers import monomial
from boundkit.analysis.sensitivity.admissible_set import AdmissibleSet, Sample, admissible_set, sample
from boundkit.analysis.sensitivity.signs import sign
from boundkit.analysis.step_size import largest


@dataclass(frozen=True, eq=False)
class SensitivityContext:
    """Terms by label, conditions on the steps, requirements, and the limits of eta (none without eta)."""

    terms: Mapping[str, Expr]
    conditions: tuple[Relational, ...]
    requires: tuple[Relational, ...]
    limits: tuple[Expr, ...] = ()

    @property
    def total(self) -> Expr:
        """The bound."""
        return Add(*self.terms.values())

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities of the bound and of its conditions."""
        return quantities_of([*self.terms.values(), *self.conditions, *self.requires])

    @property
    def has_step(self) -> bool:
        """Whether some term depends on eta."""
        return any(eta in expr.free_symbols for expr in self.terms.values())

    @cached_property
    def admissible(self) -> AdmissibleSet:
        """The admissible set, on which signs are proved."""
        step = eta if self.has_step else None
        return admissible_set(self.quantities, self.sample, self.requires, step, self.limits)

    @cached_property
    def sample(self) -> Sample:
        """Points for numerical evaluation."""
        return sample(
            self.quantities, [*self.conditions, *self.requires], eta if self.has_step else None, self.limits
        )

    def under(
        self, replaced: Mapping[Symbol, Expr], requires: tuple[Relational, ...] = ()
    ) -> SensitivityContext:
        """The context with quantities replaced, and further requirements."""
        known = dict(replaced)
        return SensitivityContext(
            {label: expr.xreplace(known) for label, expr in self.terms.items()},
            _replaced(self.conditions, known),
            (*_replaced(self.requires, known), *requires),
            () if eta in known else tuple(limit.xreplace(known) for limit in self.limits),
        )

    def with_exchanged_step(self, quantity: Symbol, power: Rational) -> SensitivityContext:
        """The same in s = eta q^power, written as eta again."""
        if power == 0:
            return self
        moved = self.under({eta: eta * quantity**-power})
        return SensitivityContext(
            moved.terms, moved.conditions, moved.requires, tuple(x * quantity**power for x in self.limits)
        )


def context_of(theorem: Theorem) -> SensitivityContext:
    """The context of a theorem.

    A condition on T alone, as rules for the steps leave it, is taken as required.
    """
    terms = {t.label: t.expr for t in theorem.terms}
    conditions = tuple(c for c in theorem.step_size if c.free_symbols)
    stepless = [c for c in conditions if not c.free_symbols & {eta, eta_s}]
    solved = tuple(s for c in stepless if (s := _from_which_rounds(c)) is not None)
    limits = _limits(theorem) if eta in quantities_of([*terms.values(), *conditions]) else ()
    return SensitivityContext(terms, conditions, (*theorem.requires, *solved), limits)


def _limits(theorem: Theorem) -> tuple[Expr, ...]:
    """The limits of eta, one for each condition; roots that are never positive are left out."""
    whole = largest(theorem, eta)
    parts = whole.args if type(whole).__name__ == "Min" else (whole,)
    result: list[Expr] = []
    others = [q for q in theorem.quantities if q != eta]
    points = sample(others, theorem.requires, size=40)
    everywhere = admissible_set(others, points, theorem.requires)
    for part in parts:
        if part == oo:
            continue
        if isinstance(part, Piecewise):
            root = part.args[0][0]
            values = np.broadcast_to(evaluate(root, points.values), (points.size,))
            if not (values > 0).any():
                continue
            part = root if (values > 0).all() else part
        result.append(part.replace(Abs, lambda x: x if sign(x, everywhere) == 1 else Abs(x)))
    return tuple(result)


def _replaced(relations: Iterable[Relational], known: dict[Symbol, Expr]) -> tuple[Relational, ...]:
    """The relations after replacements, without those between numbers."""
    result = [r.func(*(side.xreplace(known) for side in r.args), evaluate=False) for r in relations]
    return tuple(r for r in result if r.free_symbols)


def _from_which_rounds(condition: Relational) -> Relational | None:
    small, large = sides(condition)
    result = monomial(small / large, T)
    if result is None or result[1] >= 0:
        return None
    return Ge(T, result[0] ** (-1 / result[1]), evaluate=False)
