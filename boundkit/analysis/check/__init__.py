"""``bk.check``: named checks of a theorem that need no run.

For each check the tests hold a planted wrong theorem that it must reject.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.check.context import (
    FACTOR,
    CheckContext,
    CheckResult,
    OutcomeWithReason,
    SingleCheck,
    failed,
    skipped,
)
from boundkit.analysis.check.formulas import (
    agreement,
    conditions,
    corners,
    definitions,
    dimensions,
    horizon,
    largest_step,
    scale,
    signs,
)
from boundkit.analysis.check.metadata import (
    assumptions,
    constants,
    fractions,
    limits,
    name,
    quantities,
    reasons,
    reductions,
    source,
)

CHECKS: dict[str, Callable[[CheckContext], OutcomeWithReason]] = {
    "name": name,
    "dimensions": dimensions,
    "scale": scale,
    "letters": quantities,
    "fractions": fractions,
    "reasons": reasons,
    "constants": constants,
    "assumptions": assumptions,
    "source": source,
    "conditions": conditions,
    "largest step": largest_step,
    "agreement": agreement,
    "signs": signs,
    "corners": corners,
    "horizon": horizon,
    "definitions": definitions,
    "limits": limits,
    "reductions": reductions,
}
"""Every check by name, in the order in which reports list them."""

_NEED_POINTS = {"scale", "largest step", "agreement", "signs", "corners", "horizon", "definitions"}

__all__ = ["CHECKS", "CheckResult", "SingleCheck", "check"]


def check(theorem: Theorem, known: Mapping[str, Theorem] | None = None, *, seed: int = 0) -> CheckResult:
    """All checks of a theorem; ``known`` holds the theorems that its reductions refer to, by name.

    >>> from boundkit.theorems import catalogue, theorem
    >>> bool(check(theorem("fedavg_nonconvex"), catalogue()))
    True
    """
    if seed < 0:
        raise BoundkitError(f"seed must be a whole number, at least 0, but it is {seed!r}.")
    context = CheckContext(theorem, {} if known is None else known, seed)
    checks = tuple(
        SingleCheck(
            title, *(_INFEASIBLE if context.infeasibility and title in _NEED_POINTS else _run(one, context))
        )
        for title, one in CHECKS.items()
    )
    return CheckResult(theorem.name, checks, theorem.kind, partial(_find_undetected, context))


_BY_TEXT = {"name", "reasons"}
"""Checks of names and reasons, which an author would adapt to the wrong constant."""


def _find_undetected(context: CheckContext) -> tuple[str, ...]:
    """The labels of the terms whose constant could be wrong by ``FACTOR`` while every check passes."""
    theorem = context.theorem
    if theorem.order_level:
        return ()
    factor = FACTOR if theorem.kind == "lower" else Rational(1, FACTOR)
    checks = [one for title, one in CHECKS.items() if title not in _BY_TEXT]
    labels = []
    for term in theorem.terms:
        terms = tuple(replace(t, expr=factor * t.expr) if t is term else t for t in theorem.terms)
        changed = replace(context, theorem=replace(theorem, terms=terms))
        if all(_run(one, changed)[0] != "fail" for one in checks):
            labels.append(term.label)
    return tuple(labels)


_INFEASIBLE = skipped("no values satisfy the conditions, so that there is no point to evaluate.")


def _run(one: Callable[[CheckContext], OutcomeWithReason], context: CheckContext) -> OutcomeWithReason:
    try:
        return one(context)
    except BoundkitError as error:
        return failed(str(error))
