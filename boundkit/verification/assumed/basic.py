"""Assumptions on who comes, on local steps, on weights, noise and the server's step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule
from boundkit.verification.quantities.coming import everybody


def _equal_weights(theorem: Theorem, run: Run) -> str:
    return "" if run.problem.equal_weights else "it weighs all clients alike, and the p_i of the run differ"


def _common_steps(theorem: Theorem, run: Run) -> str:
    return "" if run.tau is not None else "it needs the same number of local steps for all clients and rounds"


def _full(theorem: Theorem, run: Run) -> str:
    return "" if everybody(run) else "it needs all clients in every round"


def _uniform(theorem: Theorem, run: Run) -> str:
    if run.participation.kind == "uniform" or everybody(run):
        return ""
    what = "a schedule" if run.participation.kind == "schedule" else f"{run.participation.kind} participation"
    return f"it needs clients drawn uniformly without replacement, and the run has {what}"


def _one(theorem: Theorem, run: Run) -> str:
    return "" if run.eta_s == 1 else f"it needs eta_s = 1, and the run has {run.eta_s:g}"


def _at_least_one(theorem: Theorem, run: Run) -> str:
    return "" if run.eta_s >= 1 else f"it needs eta_s of at least 1, and the run has {run.eta_s:g}"


def _one_step(theorem: Theorem, run: Run) -> str:
    return "" if run.tau == 1 else "it needs one local step a round"


def _no_noise(theorem: Theorem, run: Run) -> str:
    if run.problem.batches is not None:
        return "it needs exact gradients, and the run draws mini-batches"
    return (
        ""
        if run.problem.noise == 0
        else f"it needs exact gradients, and the run has noise {run.problem.noise:g}"
    )


def _alike(theorem: Theorem, run: Run) -> str:
    return (
        ""
        if run.problem.alike
        else "it needs clients with one and the same loss, and those of the run differ"
    )


def alike_clients(theorem: Theorem, plan: Plan) -> Plan:
    """The plan with every client's loss that of the first; losses that must have a minimum keep theirs."""
    problem = plan.problem
    if isinstance(problem, Quadratic):
        same = Quadratic(
            [problem.H[0]] * problem.m, np.tile(problem.e[0], (problem.m, 1)), problem.p, problem.noise
        )
        return replace(plan, problem=same)
    if isinstance(problem, SmoothNonconvex):
        return replace(plan, problem=SmoothNonconvex(0 * problem.e, problem.p, problem.noise))
    return plan


RULES = {
    "smooth": MEASURED,
    "bounded-noise": MEASURED,
    "bounded-dissimilarity": MEASURED,
    "beta-kappa-dissimilarity": MEASURED,
    "convex": MEASURED,
    "strongly-convex": MEASURED,
    "bounded-below": MEASURED,
    "weighted-objective": MEASURED,
    "equal-weights": Rule(_equal_weights),
    "common-local-steps": Rule(_common_steps),
    "full-participation": Rule(_full, lambda theorem, plan: replace(plan, present=1.0)),
    "partial-participation": Rule(_uniform),
    "server-step-one": Rule(_one, lambda theorem, plan: replace(plan, eta_s=1.0)),
    "server-step-at-least-one": Rule(_at_least_one),
    "one-local-step": Rule(_one_step, lambda theorem, plan: replace(plan, local_steps=1)),
    "no-noise": Rule(_no_noise, lambda theorem, plan: replace(plan, problem=plan.problem.quiet())),
    "alike-clients": Rule(_alike, alike_clients),
}
