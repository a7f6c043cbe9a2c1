"""Whether a theorem applies to a run: its assumptions, one by one; and whether any run can test it.

A configuration that the theorem does not cover (partial participation for a theorem of full participation)
makes it not applicable, with the reason. A problem outside its function class, such as an indefinite Hessian
where convexity is needed, is an error.
"""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.printing import plain
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.evaluate import evaluate
from boundkit.report.formatting import join_names
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.claims import is_measurable
from boundkit.verification.constants import is_unspecified
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
