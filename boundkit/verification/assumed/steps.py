"""Assumptions on steps that fall, on gradients that are late, and on the clock."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import offset as OFFSET
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.run import Run
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule
from boundkit.verification.assumed.steps_plans import convex, drifting, falling, late, lengths

_SAME = 1e-9
_SINGLE = frozenset(f"biased_selection_strongly_convex_{kind}" for kind in ("decaying", "rigorous", "sharp"))
"""Theorems whose step is 1/(mu (offset + t)); of the others with an offset it is 2/(mu (offset + t))."""


def numerator(theorem: Theorem) -> float:
    """c in eta_t = c/(mu (offset + t)), as the theorem's remarks say."""
    return 1.0 if theorem.name in _SINGLE else 2.0


def falling_rate(theorem: Theorem, values: dict[str, Any], part: float = 1.0) -> dict[str, float]:
    """The rate with the least offset that the theorem names, or one that starts at ``part`` of it."""
    offset = float(evaluate(theorem.definitions[OFFSET], values)) / part
    return {"first": numerator(theorem) / (values["mu"] * offset), "offset": offset}


def _falls(theorem: Theorem, run: Run) -> str:
    if run.offset is None:
        return "it needs a step that keeps falling, and that of the run is fixed"
    if OFFSET not in theorem.quantities:
        return ""
    mu = run.problem.constants(run.x0)["mu"].value
    wanted = numerator(theorem) / (mu * run.offset)
    if abs(run.eta - wanted) <= _SAME * wanted:
        return ""
    return (
        f"it is about eta = {numerator(theorem):g}/(mu (offset + t)) in local step t, which starts at "
        f"{wanted:g} here, and the run starts at {run.eta:g}"
    )


def _let_fall(theorem: Theorem, plan: Plan) -> Plan | None:
    if plan.eta is not None or OFFSET not in theorem.quantities:
        return plan
    found = plan.problem.constants(np.zeros(plan.problem.d) if plan.x0 is None else np.asarray(plan.x0))
    if "mu" not in found:
        return None
    values = {name: found[name].value for name in ("L", "mu")} | {"tau": float(np.max(plan.local_steps))}
    return replace(plan, eta=falling_rate(theorem, values, plan.step))


def _own_gradients(theorem: Theorem, run: Run) -> str:
    who = run.participation
    if not run.problem.draws or who.kind != "with_replacement" or who.size(0) == 1:
        return ""
    return (
        "it gives every draw a gradient of its own, and in the run a client that is drawn twice sends one "
        "noisy gradient twice"
    )


def _one_draw(theorem: Theorem, plan: Plan) -> Plan:
    noisy = plan.problem.noise > 0 and theorem.assumes("sampling-with-replacement")
    return replace(plan, present=1 / plan.problem.m) if noisy else plan


def _everyone_sends(theorem: Theorem, run: Run) -> str:
    if run.rounds >= run.problem.m:
        return ""
    m, T = run.problem.m, run.rounds
    return f"its clock starts with a gradient of each of {m} clients, and the run has {T} rounds"


def _long_enough(theorem: Theorem, plan: Plan) -> Plan:
    return replace(plan, rounds=max(plan.rounds, plan.problem.m))


def _late(theorem: Theorem, run: Run) -> str:
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    return "" if sizes == {1} else "it needs one client a round, whose gradient is an update by itself"


def _one_at_a_time(theorem: Theorem, plan: Plan) -> Plan:
    alone = plan.participation is None and plan.schedule is None
    return replace(plan, present=1 / plan.problem.m) if alone else plan


RULES = {
    "decaying-step": Rule(_falls, _let_fall, falling),
    "bounded-gradients": MEASURED,
    "clientwise-noise": MEASURED,
    "uniform-dissimilarity": MEASURED,
    "weighted-dissimilarity": Rule(_own_gradients, _one_draw),
    "bounded-staleness": Rule(_late, _one_at_a_time, late),
    "synchronous-clock": MEASURED,
    "overlapped-clock": MEASURED,
    "asynchronous-clock": Rule(_everyone_sends, _long_enough),
}

_DRIFTS = ("average_drift", "drift_limit", "drift_limit_lower")
PLANS = {
    "adacomm_nonconvex": lengths,
    "fedavg_convex": convex,
    "fedavg_convex_sharp": convex,
    **{f"fedavg_strongly_convex_{name}": drifting for name in _DRIFTS},
}
