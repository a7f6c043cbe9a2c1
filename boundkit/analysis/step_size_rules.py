"""A theorem whose steps follow rules, as a theorem again: every question may then be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr

from boundkit.algebra import Theorem
from boundkit.analysis.rate import rate

STEPS = ("eta", "eta_s")
"""The quantities for which a formula may stand instead of a number."""


def under_rules(
    theorem: Theorem, given: Mapping[str, object]
) -> tuple[Theorem, dict[str, object], dict[str, Expr]]:
    """The theorem with its rules put in, the values that are left, and the rules.

    A rule is text or an expression given for a step: eta="sqrt(m/(tau*T))/L". Raises BoundkitError for a
    rule that cannot be read, or is no step.

    >>> from boundkit.theorems import theorem
    >>> under_rules(theorem("sgd_nonconvex"), {"eta": "1/(L*sqrt(T))"})[0].bound.terms["initial gap"].expr
    2*L*gap/sqrt(T)
    """
    rules = {name: given[name] for name in STEPS if isinstance(given.get(name), (str, Expr))}
    left = {name: value for name, value in given.items() if name not in rules}
    if not rules:
        return theorem, left, {}
    ruled = rate(theorem, **rules)
    scalar = ruled.theorem  # of homogeneous clients, as a rate is
    terms = tuple(replace(t, expr=ruled.terms[t.label].expr) for t in scalar.terms)
    conditions = tuple(c.under_rules for c in ruled.conditions)
    return replace(scalar, terms=terms, step_size=conditions, reductions=(), limits=()), left, ruled.rules
