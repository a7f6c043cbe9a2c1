"""Clients that are drawn with replacement, and averaged as drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import Plan, Rule


def _broken(theorem: Theorem, run: Run) -> str:
    who = run.participation
    if who.kind != "with_replacement":
        return f"it needs clients drawn with replacement, and the run has {who.kind} participation"
    if np.abs(np.asarray(who.law(0).first) / who.law(0).first.sum() - run.problem.p).max() > 1e-12:
        return "it needs each client drawn with the chance p_i, and the run draws otherwise"
    how = run.algorithm.settings.get("aggregation", "weighted")
    plain = how == "mean" or (how == "weighted" and run.problem.equal_weights)
    return "" if plain else f"it averages the drawn models plainly, and the run has aggregation {how!r}"


def drawn(theorem: Theorem, plan: Plan) -> Plan:
    """The plan with as many draws as it had clients a round."""
    if plan.participation is not None:
        return plan
    count = max(1, round(plan.present * plan.problem.m))
    return replace(
        plan,
        participation={"kind": "with_replacement", "count": count},
        options={**plan.options, "aggregation": "mean"},
    )


RULES = {"sampling-with-replacement": Rule(_broken, drawn)}
