"""Assumptions on groups of clients that take turns, and the default instances of theorems on them."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.run import Run
from boundkit.verification.assumed.cycles_plans import designs
from boundkit.verification.assumed.rule import MEASURED, Rule
from boundkit.verification.group_dissimilarity import groups_of


def _turns(theorem: Theorem, run: Run) -> str:
    try:
        groups = groups_of(run)
    except BoundkitError as error:
        return str(error).rstrip(".")
    if run.algorithm.settings.get("aggregation", "weighted") == "all" and len(groups[0]) < run.problem.m:
        return "the clients of a round are averaged, and the run divides by all clients"
    if run.rounds % len(groups):
        return f"it speaks of whole cycles of {len(groups)} rounds, and the run has {run.rounds} rounds"
    return ""


def _whole(theorem: Theorem, run: Run) -> str:
    try:
        groups = groups_of(run)
    except BoundkitError:
        return ""  # said by cyclic-participation
    sizes = {run.participation.size(t) for t in range(len(groups))}
    if sizes == {len(groups[0])}:
        return ""
    came = min(size or 0 for size in sizes)
    return f"all {len(groups[0])} clients of a group come, and in the run {came} of them"


RULES = {
    "polyak-lojasiewicz": MEASURED,
    "group-dissimilarity": MEASURED,
    "cyclic-participation": Rule(_turns, designs=designs),
    "whole-groups": Rule(_whole),
}
