"""Candidates of the search: the run of a plan, its cost, and its evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sympy import oo

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.step_size import largest
from boundkit.attack.evidence import Evidence, NotApplicable, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions, has_closed_form
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.claims import add_observables, needs_step_engine
from boundkit.verification.default_instances import build_run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import FAMILIES
from boundkit.verification.instance import Instance

LARGEST_COST, TYPICAL_COST = 1200.0, 350.0
"""Runs above the first cost are rejected; random instances are shortened to the second. About milliseconds.
"""
_ROUND, _STEP, _INSIDE = 1.2, 0.12, 1.0
"""Costs of the step engine: a round, a local step, an observed local step."""
_MOMENTS, _MAP = 0.02, 3.0
"""Costs of exact moments: a round, and the affine map of a round."""
_PROBE = 1.0
"""Additional cost of a local step of an algorithm with client state, whose map is evaluated numerically."""
_POWERS, _POWER = 0.15, 1e-4
"""Costs of rounds in closed form: a round, and a coordinate of a local model."""
_STATE = 18
"""Largest joint dimension of client and server state for which moments are computed."""


class TooCostly(BoundkitError):
    """A run whose simulation would take too long for a search."""


def estimate_cost(theorem: Theorem, run: Run) -> float:
    """Estimate the milliseconds that the run and its measurement take.

    The estimate follows from the run's settings and not from a clock, so that it is the same on every
    machine.
    """
    tau, m, d = int(run.local_steps.max()), run.problem.m, run.problem.d
    if has_closed_form(run):
        return run.rounds * (_POWERS + tau * m * d * _POWER)
    exact = (
        isinstance(run.problem, Quadratic) and run.algorithm.affine and not needs_step_engine(theorem, run)
    )
    if exact and not run.algorithm.stateless:
        size = d * (m + 1)
        exact = size <= _STATE
        if exact:
            return _MAP + tau * _PROBE + run.rounds * _MOMENTS * max(1.0, (size / 6) ** 3)
    if exact:
        maps = min(run.period, run.rounds) * (tau if run.observes_local_steps else 1)
        return _MAP * maps + run.rounds * _MOMENTS * (tau if run.observes_local_steps else 1)
    if run.algorithm.settings.get("exact"):  # minimised by formula
        tau = 1
    inside = _INSIDE if run.observes_local_steps or run.local_spread else 0.0
    return run.rounds * (_ROUND + tau * (_STEP + inside))


def refuse_costly(theorem: Theorem, run: Run, most: float = LARGEST_COST) -> None:
    """Raise TooCostly where the run exceeds the cost ``most``."""
    if estimate_cost(theorem, run) > most:
        raise TooCostly("it would take too long.")


def arrange_plan(theorem: Theorem, plan: Instance) -> Instance:
    """Adapt the plan to each of the theorem's assumptions.

    Raises NotApplicable where no version of the plan satisfies them.
    """
    for assumption in theorem.assumptions:
        rule = FAMILIES.rules.get(assumption.name)
        if rule is not None and rule.arrange is not None:
            satisfied_plan = rule.arrange(theorem, plan)
            if satisfied_plan is None:
                raise NotApplicable(f"no plan like it meets {assumption.name}.")
            plan = satisfied_plan
    return _whole_cycles(plan)


def _whole_cycles(plan: Instance) -> Instance:
    """Round the number of rounds down to whole cycles of the participation pattern."""
    groups = plan.participation.get("groups") if isinstance(plan.participation, dict) else None
    if groups is None:
        return plan
    cycle = groups if isinstance(groups, int) else len(groups)
    return replace(plan, rounds=max(1, plan.rounds // cycle) * cycle)


def make_candidate_run(theorem: Theorem, plan: Instance) -> Run:
    """Construct the run of a plan, with its step size as a fraction of the largest one allowed.

    Where the theorem has eta without a limit, it is that fraction of 1/(L tau).

    Raises NotApplicable where the theorem does not apply to the run, TooCostly where it takes too long.
    """
    plan = arrange_plan(theorem, plan)
    if not theorem.rules:
        refuse_costly(theorem, plan.run(theorem.algorithm, 1e-6 if plan.eta is None else plan.eta))
        if plan.eta is None and largest(theorem) is oo:
            if eta not in theorem.quantities:
                raise NotApplicable("it is about the best step, and limits none.")
            tau = 1 if plan.options.get("exact") else float(np.max(plan.local_steps))
            L = plan.problem.constants(np.zeros(plan.problem.d))["L"].value
            plan = replace(plan, eta=plan.step / (L * tau))
    run = build_run(theorem, plan)
    refuse_costly(theorem, run)
    return run


def evaluate_candidate(
    theorem: Theorem, plan: Instance, engine_options: EngineOptions | None = None
) -> Evidence:
    """Run a plan and collect its evidence. Raises as ``make_candidate_run`` and ``collect_evidence`` do."""
    run = make_candidate_run(theorem, plan)
    with np.errstate(all="ignore"):
        return collect_evidence(theorem, run, engine_options or FastEngineOptions())


def shorten_plan(theorem: Theorem, plan: Instance, most: float = TYPICAL_COST) -> Instance:
    """Reduce rounds, and then local steps, until the plan costs no more than ``most``.

    A plan whose rounds follow from its step sizes, by a rule of the theorem, is returned unchanged.
    """
    if theorem.rules:
        return plan
    for name in ("rounds", "local_steps"):
        try:
            run = add_observables(theorem, arrange_plan(theorem, plan).run(theorem.algorithm, 1e-6))
        except BoundkitError:
            return plan  # it is refused when it is tried, with the reason
        costs = estimate_cost(theorem, run)
        if costs <= most:
            return plan
        fewer = np.maximum(1, np.asarray(getattr(plan, name)) * most / costs).astype(int).tolist()
        plan = replace(plan, **{name: fewer})
    return plan
