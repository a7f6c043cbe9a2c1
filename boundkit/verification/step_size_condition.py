"""The step-size condition of a theorem: whether the step sizes of a run violate it, and by how much."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.predict import Prediction, predict
from boundkit.report.formatting import join_names
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.verification.applicability import (
    check_function_class,
    reasons_not_applicable,
    reasons_unsupported,
)
from boundkit.verification.claims import add_observables
from boundkit.verification.constants import compute_constants, is_unspecified, theorem_arguments
from boundkit.verification.context import run_settings

_AT_LEAST_ONE = {"beta"}


@np.errstate(over="ignore", invalid="ignore")
def step_condition(theorem: Theorem, run: Run) -> str:
    """The reason why the run's step sizes violate the theorem's condition; empty where they do not.

    Raises BoundkitError where the problem is not of its function class.
    """
    if theorem.algorithm != run.algorithm.name or reasons_unsupported(theorem):
        return ""
    check_function_class(theorem, run)
    if reasons_not_applicable(theorem, run):
        return ""
    return violation_before_run(theorem, add_observables(theorem, run), brief=True)[0]


def violation_before_run(theorem: Theorem, run: Run, brief: bool = False) -> tuple[str, dict[str, Constant]]:
    """The violation of the condition before the run is simulated, and the constants of the condition."""
    constants = compute_constants(run, theorem)
    in_condition = {s.name for c in theorem.step_size for s in c.free_symbols}
    available = set(constants) | set(run_settings(run))
    missing = in_condition - available
    if missing - {"sigma_g", "beta", "kappa"}:
        return "", {}  # the condition is checked again with the constants measured along the run
    assumed = dict(constants)
    for name in {q.name for q in theorem.quantities} - available:
        if not is_unspecified(name):
            assumed[name] = Constant(1.0 if name in _AT_LEAST_ONE else 0.0, "local", "not measured yet")
    try:
        bound = predict(theorem, **theorem_arguments(theorem, run, assumed))
    except BoundkitError:
        return "", {}
    if bound.holds:
        return "", {}
    return describe_violation(bound, run, brief), {n: c for n, c in constants.items() if n in in_condition}


def describe_violation(bound: Prediction, run: Run, brief: bool = False) -> str:
    """A sentence with the largest allowed step size and, unless ``brief``, both sides of the condition."""
    values = bound.parameters.grid()
    violated = [c for c in bound.theorem.step_size if not satisfied(c, values)]
    sides = "; ".join(_sides(c, values) for c in violated)
    if not any(eta in c.free_symbols for c in violated):
        return f"The run is outside the condition {sides}."
    text = f"The step size is outside the condition: eta = {run.eta:g}, and the largest is {bound.largest:g}"
    if bound.largest_product is not None:
        text += f"; eta_s eta = {run.eta_s * run.eta:g}, and the largest is {bound.largest_product:g}"
    return f"{text}." if brief else f"{text}. The condition is {sides}."


def _sides(relation: Any, values: dict[str, Any]) -> str:
    """A relation with the values of its two sides and of its quantities."""
    left, right = (float(evaluate(side, values)) for side in (relation.lhs, relation.rhs))
    names = sorted({s.name for s in relation.free_symbols})
    numbers = join_names([f"{name} = {float(values[name]):g}" for name in names])
    return f"{plain(relation)}, and here the sides are {left:g} and {right:g} ({numbers})"
