"""Theorems on the surrogate sum_i w_i F_i, which biased aggregation minimises in place of the objective."""

from __future__ import annotations

from collections.abc import Mapping

from boundkit.algebra import BoundkitError, Theorem, vocabulary
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run
from boundkit.verification.context import auxiliary_objective
from boundkit.verification.families.general import as_recorded
from boundkit.verification.family import Family, Rule
from boundkit.verification.surrogate import surrogate_objective

_PREFIX = "surrogate"


def _has_surrogate(theorem: Theorem, run: Run) -> str:
    try:
        problem = surrogate_objective(theorem, run)
    except BoundkitError as error:
        return f"its surrogate is not to be had: {str(error).rstrip('.')}"
    return "" if "gap" in problem.constants(run.x0) else "its surrogate is not bounded below"


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    claimed = theorem.claim.observable.startswith(f"{_PREFIX}_") or auxiliary_objective(theorem) == _PREFIX
    if not claimed or _PREFIX in run.watch:
        return {}
    return {_PREFIX: surrogate_objective(theorem, run)}


FAMILY = Family(
    assumptions={vocabulary.SURROGATE_DISSIMILARITY: Rule(_has_surrogate)},
    observables={"surrogate_gradient_norm_squared": as_recorded("surrogate_gradient_norm_squared")},
    objectives=_objectives,
)
