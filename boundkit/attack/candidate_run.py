"""One start of the search: a plan, arranged as the theorem assumes, run at its step, and held up to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sympy import oo

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import eta
from boundkit.analysis.step_size import largest
from boundkit.attack.evidence import Evidence, Silent, evidence
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.run_cost import FAIR, price, refuse_long
from boundkit.simulation.run import Run
from boundkit.verification.claims import add_observables
from boundkit.verification.default_instances import build_run
from boundkit.verification.engine_options import EngineOptions
from boundkit.verification.families import FAMILIES
from boundkit.verification.instance import Instance


def arranged(theorem: Theorem, plan: Instance) -> Instance:
    """The plan as each of the theorem's assumptions has it.

    Raises Silent where no plan like it meets them.
    """
    for assumption in theorem.assumptions:
        rule = FAMILIES.rules.get(assumption.name)
        if rule is not None and rule.arrange is not None:
            met = rule.arrange(theorem, plan)
            if met is None:
                raise Silent(f"no plan like it meets {assumption.name}.")
            plan = met
    return _whole_cycles(plan)


def _whole_cycles(plan: Instance) -> Instance:
    """Groups that take turns are spoken of after whole cycles."""
    groups = plan.participation.get("groups") if isinstance(plan.participation, dict) else None
    if groups is None:
        return plan
    cycle = groups if isinstance(groups, int) else len(groups)
    return replace(plan, rounds=max(1, plan.rounds // cycle) * cycle)


def run_of(theorem: Theorem, plan: Instance) -> Run:
    """The run of a plan: arranged, at the part of the largest step that it names.

    Where the theorem has eta and does not limit it, it is that part of 1/(L tau).

    Raises Silent where the theorem does not speak of it, TooLong where a search has no time for it.
    """
    plan = arranged(theorem, plan)
    if not theorem.rules:
        refuse_long(theorem, plan.run(theorem.algorithm, 1e-6 if plan.eta is None else plan.eta))
        if plan.eta is None and largest(theorem) is oo:
            if eta not in theorem.quantities:
                raise Silent("it speaks of the best step, and limits none.")
            tau = 1 if plan.options.get("exact") else float(np.max(plan.local_steps))
            L = plan.problem.constants(np.zeros(plan.problem.d))["L"].value
            plan = replace(plan, eta=plan.step / (L * tau))
    run = build_run(theorem, plan)
    refuse_long(theorem, run)
    return run


def tried(theorem: Theorem, plan: Instance, machine: EngineOptions | None = None) -> Evidence:
    """The evidence of a plan. Raises as ``run_of`` and ``evidence`` do."""
    run = run_of(theorem, plan)
    with np.errstate(all="ignore"):
        return evidence(theorem, run, machine or Swift())


def shorter(theorem: Theorem, plan: Instance, most: float = FAIR) -> Instance:
    """The plan with so few rounds, and then local steps, that it costs no more than that.

    A plan whose rounds follow from its steps, by a rule of the theorem, stays as it is.
    """
    if theorem.rules:
        return plan
    for name in ("rounds", "local_steps"):
        try:
            run = add_observables(theorem, arranged(theorem, plan).run(theorem.algorithm, 1e-6))
        except BoundkitError:
            return plan  # it is refused when it is tried, with the reason
        costs = price(theorem, run)
        if costs <= most:
            return plan
        fewer = np.maximum(1, np.asarray(getattr(plan, name)) * most / costs).astype(int).tolist()
        plan = replace(plan, **{name: fewer})
    return plan
