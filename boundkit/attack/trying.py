"""One start of the search: a plan, arranged as the theorem assumes, run at its step, and held up to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sympy import oo

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.step_size import largest
from boundkit.attack.evidence import Evidence, Silent, evidence
from boundkit.verify.assumed import RULES, Plan
from boundkit.verify.engines.inside import sees_inside
from boundkit.verify.instances import stepped
from boundkit.verify.machine import USUAL, Machine
from boundkit.verify.problems import Quadratic
from boundkit.verify.run import Run

LOCAL_STEPS, ROUNDS = 2500, 6000
"""The most local steps of a run that has to take them, and rounds of one whose moments are exact."""
_INSIDE = 40
"""And local steps in a round that is looked into: each is a round map of its own."""
_STATE = 14
"""Coordinates, in all, of clients and server of an algorithm that remembers: their second moments close."""
_MOMENTS = 600
"""And the rounds of such a run."""


class TooLong(BoundkitError):
    """A run that would take too long for a search."""


def arranged(theorem: Theorem, plan: Plan) -> Plan:
    """The plan as each of the theorem's assumptions has it.

    Raises Silent where no plan like it meets them.
    """
    for assumption in theorem.assumptions:
        rule = RULES.get(assumption.name)
        if rule is not None and rule.arrange is not None:
            met = rule.arrange(theorem, plan)
            if met is None:
                raise Silent(f"no plan like it meets {assumption.name}.")
            plan = met
    return plan


def run_of(theorem: Theorem, plan: Plan) -> Run:
    """The run of a plan: arranged, at the part of the largest step that it names.

    Where the theorem has eta and does not limit it, it is that part of 1/(L tau).

    Raises Silent where the theorem does not speak of it, TooLong where a search has no time for it.
    """
    plan = arranged(theorem, plan)
    if not theorem.rules:
        refuse_long(plan.run(theorem.algorithm, 1e-6 if plan.eta is None else plan.eta))
        if plan.eta is None and largest(theorem) is oo:
            if eta not in theorem.quantities:
                raise Silent("it speaks of the best step, and limits none.")
            tau = 1 if plan.options.get("exact") else float(np.max(plan.local_steps))
            L = plan.problem.constants(np.zeros(plan.problem.d))["L"].value
            plan = replace(plan, eta=plan.step / (L * tau))
    run = stepped(theorem, plan)
    refuse_long(run)
    return run


def tried(theorem: Theorem, plan: Plan, machine: Machine | None = None) -> Evidence:
    """The evidence of a plan. Raises as ``run_of`` and ``evidence`` do."""
    run = run_of(theorem, plan)
    with np.errstate(all="ignore"):
        return evidence(theorem, run, machine or USUAL)


def refuse_long(run: Run) -> None:
    """Raise TooLong where a search has no time for the run; counted, not timed, so that all agree."""
    tau, m, d = int(run.local_steps.max()), run.problem.m, run.problem.d
    exact = isinstance(run.problem, Quadratic) and run.algorithm.affine and not run.local_spread
    if exact and run.looks_inside:
        exact = sees_inside(run)
        if exact and tau > _INSIDE:
            raise TooLong("a round of so many local steps is not looked into.")
    if exact and not run.algorithm.memoryless:
        exact = d * (m + 1) <= _STATE
        if exact and run.rounds > _MOMENTS:
            raise TooLong("moments of all memories over so many rounds.")
    if exact and run.rounds > ROUNDS:
        raise TooLong("so many rounds.")
    if not exact and run.rounds * tau > LOCAL_STEPS:
        raise TooLong("so many local steps without exact moments.")


def shorter(plan: Plan, theorem: Theorem) -> Plan:
    """The plan with so few rounds that it is not refused as too long, where its steps are not chosen by T."""
    tau = int(np.max(plan.local_steps)) if plan.options.get("exact") is None else 1
    moments = isinstance(plan.problem, Quadratic)
    most = ROUNDS if moments else max(1, LOCAL_STEPS // max(tau, 1))
    return plan if theorem.rules or plan.rounds <= most else replace(plan, rounds=most)
