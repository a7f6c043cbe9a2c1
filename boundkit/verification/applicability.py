"""Whether a theorem applies to a run: its assumptions, one by one, and its step-size condition.

A configuration that the theorem does not cover (partial participation for a theorem of full participation)
makes it not applicable, with the reason. A problem outside its function class, such as an indefinite Hessian
where convexity is needed, is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import plain
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.predict import Prediction, predict
from boundkit.report.formatting import join_names
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.claims import add_observables, is_measurable
from boundkit.verification.constants import compute_constants, is_unspecified, theorem_arguments
from boundkit.verification.context import run_settings
from boundkit.verification.families import FAMILIES, context_of

_SAME_STEP = 1e-9
_SAME_AS_WEIGHTED = {"weighted", "mean", "unbiased"}
"""Weighings that coincide where all p_i are equal."""
_OF_EVERY_RUN = frozenset({"m", "C", "T", "tau", "eta", "eta_s", "L", "mu", "sigma", "gap", "distance"})
"""The quantities that every run and its problem have values for; the families measure the others."""


def reasons_unsupported(theorem: Theorem) -> list[str]:
    """The reasons why no run can be compared with the theorem; empty where one can.

    A user's own assumption is not among them: it is reported as not tested.
    """
    claim = theorem.claim
    reasons = []
    if theorem.algorithm not in ALGORITHMS:
        reasons.append(f"the algorithm {theorem.algorithm} is not implemented")
    if not is_measurable(claim.observable, claim.summary, theorem.algorithm):
        reasons.append(f"the {claim.name} is not measured on runs")
    other = [a.name for a in theorem.assumptions if a.name in ASSUMPTIONS and a.name not in FAMILIES.rules]
    if other:
        reasons.append(f"no run can satisfy {join_names(other)}")
    supported = _OF_EVERY_RUN | set(FAMILIES.constants)
    missing = [q.name for q in theorem.quantities if q.name not in supported and not is_unspecified(q.name)]
    if missing:
        reasons.append(
            f"{join_names(missing)} {'is' if len(missing) == 1 else 'are'} not available for a run"
        )
    return reasons


def check_function_class(theorem: Theorem, run: Run) -> None:
    """Raise BoundkitError where the problem is not in the theorem's function class."""
    convex, why = run.problem.convexity()
    if theorem.assumes("convex") and not convex:
        raise BoundkitError(f"{theorem.name} needs convex losses, but {why}.")
    if theorem.assumes("strongly-convex") and "mu" not in run.problem.constants(run.x0):
        flat = "the smallest eigenvalue of some H is 0"
        other = f"no mu above 0 is available for this {run.problem.kind} problem"
        why = why or (flat if isinstance(run.problem, Quadratic) else other)
        raise BoundkitError(f"{theorem.name} needs strongly convex losses, but {why}.")
    if "gap" not in run.problem.constants(run.x0):
        why = (
            "sum p_i H_i has a negative eigenvalue"
            if isinstance(run.problem, Quadratic)
            else f"that of this {run.problem.kind} problem is unbounded"
        )
        raise BoundkitError(f"the mean loss must be bounded below, but {why}.")


def reasons_not_applicable(theorem: Theorem, run: Run) -> list[str]:
    """The reasons why the theorem does not apply to the run; empty where it does."""
    reasons = []
    if theorem.algorithm != run.algorithm.name:
        reasons.append(f"it is about {theorem.algorithm}, and the run is {run.algorithm.name}")
    covered: set[str] = set().union(*(rule.options for rule in FAMILIES.rules_of(theorem)))
    for option in run.algorithm.changed_options():
        name = option.split(" = ")[0]
        if name != "aggregation" and name not in covered:
            reasons.append(f"it is about {theorem.algorithm} without the option {option}")
    aggregation = run.algorithm.settings.get("aggregation", "weighted")
    if aggregation not in _SAME_AS_WEIGHTED and "aggregation" not in covered:
        reasons.append(f"it is about another mean than aggregation {aggregation!r}")
    if run.offset is not None and not theorem.assumes("decaying-step"):
        reasons.append("it is about a fixed step size, and that of the run decreases")
    if run.problem.parts is not None and not theorem.assumes("shuffled-parts"):
        reasons.append("it needs independent gradients, and those of the run pass over shuffled parts")
    batches = run.problem.batches
    if batches is not None and batches.shuffled:
        reasons.append('it needs independent mini-batches, and the run has the order "shuffled"')
    reasons += step_rule_objections(theorem, run)
    objections = (rule.objection(theorem, run) for rule in FAMILIES.rules_of(theorem))
    return reasons + [reason for reason in objections if reason]


def step_rule_objections(theorem: Theorem, run: Run) -> list[str]:
    """The differences between the run's step sizes and those that a tuned theorem prescribes."""
    if not theorem.rules:
        return []
    values = run_settings(run) | {n: c.value for n, c in run.problem.constants(run.x0).items()}
    steps = {"eta": run.eta, "eta_s": run.eta_s}
    differences = []
    for step, rule in theorem.rules.items():
        missing = sorted({s.name for s in rule.free_symbols} - set(values))
        if missing:
            values |= _values_before_run(theorem, run, missing)
            missing = sorted({s.name for s in rule.free_symbols} - set(values))
        if missing:
            return [f"its rule for {step} needs {join_names(missing)}, which this run does not have"]
        prescribed = float(evaluate(rule, values))
        if abs(steps[step.name] - prescribed) > _SAME_STEP * prescribed:
            differences.append(
                f"it is about {step} = {plain(rule)}, here {prescribed:g}, "
                f"and the run has {steps[step.name]:g}"
            )
    return differences


def _values_before_run(theorem: Theorem, run: Run, names: list[str]) -> dict[str, float]:
    values, context = {}, context_of(theorem, run)
    for name in names:
        try:
            values[name] = context.value(name)
        except BoundkitError:
            continue
    return values


def untested_assumptions(theorem: Theorem) -> list[str]:
    """Assumptions of the theorem without a check."""
    return [a.name for a in theorem.assumptions if a.name not in FAMILIES.rules]


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


def meets_requirements(theorem: Theorem, run: Run) -> bool:
    """Whether all requirements hold that are about quantities with a value before the run."""
    values = {n: c.value for n, c in compute_constants(run, theorem).items()} | run_settings(run)
    decided = [c for c in theorem.requires if all(q.name in values for q in c.free_symbols)]
    return all(bool(np.all(satisfied(c, values))) for c in decided)


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
        arguments = theorem_arguments(theorem, run, assumed)
        if "T" in arguments and "T" not in in_condition | {
            s.name for c in theorem.requires for s in c.free_symbols
        }:
            arguments["T"] = 1  # a geometric rate beyond the condition may be too large for a number
        bound = predict(theorem, **arguments)
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
