"""``bk.check``: everything about a theorem that needs no run, by named checks.

A check that could not fail would be worth nothing: for each there is a planted theorem in the tests
that it must catch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from sympy import Rational

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.check.context import Setting
from boundkit.analysis.check.definitions import definitions
from boundkit.analysis.check.metadata import assumptions, constants, fractions, letters, name, reasons, source
from boundkit.analysis.check.relations import limits, reductions
from boundkit.analysis.check.result import FACTOR, CheckResult, Finding, Found, failed, skipped
from boundkit.analysis.check.steps import conditions, largest_step
from boundkit.analysis.check.units import dimensions, scale
from boundkit.analysis.check.values import agreement, corners, horizon, signs

CHECKS: dict[str, Callable[[Setting], Found]] = {
    "name": name,
    "dimensions": dimensions,
    "scale": scale,
    "letters": letters,
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

__all__ = ["CHECKS", "CheckResult", "Finding", "check"]


def check(theorem: Theorem, known: Mapping[str, Theorem] | None = None, *, seed: int = 0) -> CheckResult:
    """All checks of a theorem; ``known`` holds the theorems that its reductions refer to, by name.

    >>> from boundkit.theorems import catalogue, theorem
    >>> bool(check(theorem("fedavg_nonconvex"), catalogue()))
    True
    """
    setting = Setting(theorem, {} if known is None else known, seed)
    findings: list[Finding] = []
    for title, one in CHECKS.items():
        found = _UNMET if setting.unmet and title in _NEED_POINTS else _found(one, setting)
        findings.append(Finding(title, found.outcome, found.why))
    return CheckResult(theorem.name, tuple(findings), theorem.kind, partial(_find_undetected, setting))


_BY_TEXT = {"name", "reasons"}
"""Checks of the names and reasons, which would be those of the author's own constant."""


def _find_undetected(setting: Setting) -> tuple[str, ...]:
    """The labels of the terms whose constant could be wrong by a factor, and every check would pass."""
    theorem = setting.theorem
    if theorem.order_level:
        return ()
    factor = FACTOR if theorem.kind == "lower" else Rational(1, FACTOR)
    checks = [one for title, one in CHECKS.items() if title not in _BY_TEXT]
    labels = []
    for term in theorem.terms:
        terms = tuple(replace(t, expr=factor * t.expr) if t is term else t for t in theorem.terms)
        changed = replace(setting, theorem=replace(theorem, terms=terms))
        if all(_found(one, changed).outcome != "fail" for one in checks):
            labels.append(term.label)
    return tuple(labels)


_UNMET = skipped("no values meet the conditions, so that there is no point to try.")


def _found(one: Callable[[Setting], Found], setting: Setting) -> Found:
    try:
        return one(setting)
    except BoundkitError as error:
        return failed(str(error))
