"""Assumptions of algorithms that remember their clients: clusters that share a memory, and controls."""

from __future__ import annotations

from dataclasses import replace

from boundkit.algebra import Theorem
from boundkit.simulation.run import Run
from boundkit.verification.assumed.memory_plans import by_rules, remembering
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule

_SIZE = 2
"""How many clients share a memory in a default plan."""


def clusters_of(run: Run) -> list[list[int]]:
    """The clusters of a run; each client its own where there is no such option."""
    given = run.algorithm.settings.get("clusters")
    return [[i] for i in range(run.problem.m)] if given is None else [list(c) for c in given]


def _one_size(theorem: Theorem, run: Run) -> str:
    sizes = sorted({len(cluster) for cluster in clusters_of(run)})
    if len(sizes) == 1:
        return ""
    return f"it needs clusters of one size, and those of the run have from {sizes[0]} to {sizes[-1]} clients"


def clustered(theorem: Theorem, plan: Plan) -> Plan | None:
    """The plan with neighbours of two sharing a memory, where it names no clusters of its own."""
    m = plan.problem.m
    if "clusters" in plan.options:
        return plan
    if m % _SIZE:
        return None
    clusters = [list(range(i, i + _SIZE)) for i in range(0, m, _SIZE)]
    return replace(plan, options={**plan.options, "clusters": clusters})


def _of_the_way(theorem: Theorem, run: Run) -> str:
    if run.algorithm.settings.get("variant") != "I":
        return ""
    return "its controls are means of local gradients (variant II), and those of the run are not (variant I)"


RULES = {
    "clientwise-dissimilarity": MEASURED,
    "cluster-dissimilarity": Rule(_one_size, clustered),
    "controls-of-local-gradients": Rule(_of_the_way),
}

_REMEMBERING = (
    "fedvarp_nonconvex",
    "fedvarp_nonconvex_repaired",
    "fedvarp_nonconvex_sharp",
    "fedvarp_nonconvex_sharper",
    "clusterfedvarp_nonconvex",
    "clusterfedvarp_nonconvex_sharp",
    "clusterfedvarp_nonconvex_sharper",
    "scaffold_nonconvex",
    "scaffold_convex_partial",
    "scaffold_strongly_convex_partial",
)
PLANS = {"fedvarp_nonconvex_tuned": by_rules, **dict.fromkeys(_REMEMBERING, remembering)}
