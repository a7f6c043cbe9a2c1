"""Whether a theorem speaks of a run: its assumptions, one by one.

Two outcomes besides yes. A setting that the theorem does not cover (partial participation for a
theorem of full participation) makes it not applicable, with the reason. A problem outside its
function class, such as an indefinite Hessian where convexity is needed, is a mistake of the asker and
is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.printing import plain
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.rendering import joined
from boundkit.verify.constants import settings
from boundkit.verify.run import Run

_MEASURED = {"smooth", "bounded-noise", "bounded-dissimilarity", "beta-kappa-dissimilarity"}
"""Assumptions whose constant is computed for the run, so that they hold by construction."""
_SAME_STEP = 1e-9
_SAME_AS_WEIGHTED = {"weighted", "mean", "unbiased"}
"""Weighings that coincide where all p_i are equal."""


def refuse_other_classes(theorem: Theorem, run: Run) -> None:
    """Raise BoundkitError where the problem is not in the theorem's function class."""
    convex, why = run.problem.convexity()
    if theorem.assumes("convex") and not convex:
        raise BoundkitError(f"{theorem.name} needs convex losses, but {why}.")
    if theorem.assumes("strongly-convex") and "mu" not in run.problem.constants(run.x0):
        why = why or "the smallest eigenvalue of some H is 0"
        raise BoundkitError(f"{theorem.name} needs strongly convex losses, but {why}.")
    if "gap" not in run.problem.constants(run.x0):
        raise BoundkitError("the mean loss must be bounded below, but sum p_i H_i has a negative eigenvalue.")


def reasons_against(theorem: Theorem, run: Run) -> list[str]:
    """Why the theorem does not speak of the run; empty where it does."""
    reasons = []
    if theorem.algorithm != run.algorithm.name:
        reasons.append(f"it is about {theorem.algorithm}, and the run is {run.algorithm.name}")
    for option in run.algorithm.deviations():
        if option.split(" = ")[0] != "aggregation":
            reasons.append(f"it is about {theorem.algorithm} without the option {option}")
    if run.algorithm.settings.get("aggregation") not in _SAME_AS_WEIGHTED:
        reasons.append(
            f"aggregation {run.algorithm.settings['aggregation']!r} is not the mean that it is about"
        )
    reasons += rules_broken(theorem, run)
    for assumption in theorem.assumptions:
        if assumption.name in _TESTS and (reason := _TESTS[assumption.name](run)):
            reasons.append(reason)
    return reasons


def rules_broken(theorem: Theorem, run: Run) -> list[str]:
    """Where the run's steps are not those that a tuned theorem has put in."""
    if not theorem.rules:
        return []
    values = settings(run) | {n: c.value for n, c in run.problem.constants(run.x0).items()}
    said = {"eta": run.eta, "eta_s": run.eta_s}
    broken = []
    for step, rule in theorem.rules.items():
        missing = sorted({s.name for s in rule.free_symbols} - set(values))
        if missing:
            return [f"its rule for {step} needs {joined(missing)}, which this run has none of"]
        wanted = float(evaluate(rule, values))
        if abs(said[step.name] - wanted) > _SAME_STEP * wanted:
            broken.append(
                f"it is about {step} = {plain(rule)}, here {wanted:g}, and the run has {said[step.name]:g}"
            )
    return broken


def untested_assumptions(theorem: Theorem) -> list[str]:
    """Assumptions of the theorem that nothing here can check."""
    return [a.name for a in theorem.assumptions if a.name not in FOLLOWED]


def _equal_weights(run: Run) -> str:
    return "" if run.problem.equal_weights else "it weighs all clients alike, and the p_i of the run differ"


def _common_steps(run: Run) -> str:
    return "" if run.tau is not None else "it needs the same number of local steps for all clients and rounds"


def _full(run: Run) -> str:
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    everyone = sizes == {run.problem.m} and run.participation.kind != "with_replacement"
    return "" if everyone else "it needs all clients in every round"


def _uniform(run: Run) -> str:
    if run.participation.kind == "uniform" or not _full(run):
        return ""
    return "it needs clients drawn uniformly without replacement, and the run has a schedule"


_TESTS: dict[str, Callable[[Run], str]] = {
    "equal-weights": _equal_weights,
    "common-local-steps": _common_steps,
    "full-participation": _full,
    "partial-participation": _uniform,
    "server-step-one": lambda run: (
        "" if run.eta_s == 1 else f"it needs eta_s = 1, and the run has {run.eta_s:g}"
    ),
    "one-local-step": lambda run: "" if run.tau == 1 else "it needs one local step a round",
}

FOLLOWED = frozenset(
    {*_TESTS, *_MEASURED, "convex", "strongly-convex", "bounded-below", "weighted-objective"}
)
"""Assumptions that a run can be set up for, or is measured against."""
