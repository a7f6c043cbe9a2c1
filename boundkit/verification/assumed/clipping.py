"""Assumptions on relaxed smoothness, dissimilarity in norm, and noise that is never longer than sigma."""

from __future__ import annotations

from dataclasses import replace

from boundkit.algebra import Theorem
from boundkit.simulation.problems.clipping_instances import hard_instance
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.run import Run
from boundkit.verification.assumed.clipping_plans import descents, lower_instances
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule
from boundkit.verification.quantities.clipping import clip_of


def _relaxed(theorem: Theorem, run: Run) -> str:
    if theorem.kind == "lower":
        return _of_the_class(run)
    known = run.problem.constants(run.x0)
    if run.problem.large:
        return ""  # estimated along the run
    return "" if "L0" in known or "L" in known else f"no (L0, L1) of this {run.problem.kind} problem is known"


def _of_the_class(run: Run) -> str:
    """A lower bound for a class speaks of the instance that is hard for the steps of the run."""
    problem, clip = run.problem, clip_of(run)
    if not isinstance(problem, ClippingProblem):
        return "it speaks of the hardest problem of a class, a clipping_instance, and the run has another"
    missing = [name for name in ("grad_max", "target", "gap") if name not in problem.of_class]
    if missing or clip is None:
        return f"the problem must say of which class it is one; it has no {' and no '.join(missing)}"
    numbers = {"L0": problem.setting["L0"], "L1": problem.setting["L1"], **problem.of_class}
    hard = hard_instance(run.eta, clip, m=problem.m, **numbers).name.replace(" ", "_")
    if hard != problem.name:
        return f"for these steps its instance is the {hard}, and the run has the {problem.name}"
    if abs(run.x0[0] - problem.start[0]) > 1e-9 * max(1.0, abs(problem.start[0])):
        return f"its instance starts at x0 = {problem.start[0]:.10g}, and the run at {run.x0[0]:.10g}"
    return ""


def _never_longer(theorem: Theorem, run: Run) -> str:
    if not run.problem.draws or run.problem.bounded:
        return ""
    if run.problem.batches is not None:
        return "it needs noise that is never longer than sigma; that of mini-batches is measured in the mean"
    return 'it needs noise that is never longer than sigma, {"bound": sigma}, and that of the run is normal'


def _bounded(theorem: Theorem, plan: Plan) -> Plan:
    return replace(plan, problem=plan.problem.with_bounded_noise())


def _designs(theorem: Theorem) -> list[Plan]:
    return lower_instances() if theorem.kind == "lower" else list(descents())


RULES = {
    "relaxed-smooth": Rule(_relaxed, designs=_designs),
    "relaxed-smooth-mean": Rule(_relaxed, designs=_designs),
    "norm-dissimilarity": MEASURED,
    "almost-sure-noise": Rule(_never_longer, _bounded),
    "symmetric-noise": MEASURED,
}
