"""Runs of networks, told the constants that were estimated where they have been."""

from __future__ import annotations

from dataclasses import replace

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.formatting import joined
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.checks.check import Check
from boundkit.verification.dissimilarity import EVERYWHERE
from boundkit.verification.estimate.estimation import ESTIMATES, evaluate_locally

ALWAYS = ("L", "sigma")
"""What other quantities are made of."""
BY_REPLICAS = frozenset({"sigma_g", "beta", "kappa", "gap", "sigma_star"})
"""What is known, or is read off every round of every replica, which is better than one path."""
_MOST, _HESSIANS = 20, 5


def with_estimated_constants(theorem: Theorem, run: Run, seen: Trajectory) -> Run:
    """The run with what its theorem needs of the network and no formula gives, estimated along the run.

    Other problems, and quantities that cannot be estimated, are left as they are.
    """
    problem = run.problem
    if not isinstance(problem, Network) or not len(seen.x):
        return run
    asked = {q.name for q in theorem.quantities}
    wanted = {*ALWAYS, *asked & set(ESTIMATES)} - BY_REPLICAS - set(problem.constants(run.x0))
    if problem.optimum is None:
        wanted |= asked & {"sigma_star"}
    if not theorem.assumes("relaxed-smooth-mean"):
        wanted -= {"L0", "L1"}  # those that are estimated are of the mean
    if theorem.algorithm in EVERYWHERE:
        wanted |= asked & {"beta", "kappa"}
    local = evaluate_locally(problem, seen, run.participation, _MOST, _HESSIANS, run.seed)
    found = {}
    for name in sorted(wanted):
        try:
            found[name] = ESTIMATES[name](local).constant()
        except BoundkitError:
            continue  # whoever needs it says what is missing
    if not found:
        return run
    watch = {
        prefix: _also(other, {n: found[n] for n in ALWAYS if n in found})
        for prefix, other in run.watch.items()
    }
    return replace(run, problem=problem.knowing(found), watch=watch)


def local_model_check(run: Run) -> list[Check]:
    """What is left open where constants were estimated: the clients' own models; nothing where none were."""
    problem = run.problem
    names = sorted(problem.told) if isinstance(problem, Network) else []
    if not names:
        return []
    said = (
        f"{joined(names)} were measured at the server's models of the first replica; "
        "the proof asks for them wherever a client goes"
    )
    return [Check("constants elsewhere", "not tested", said)]


def _also(other: Problem, found: dict[str, Constant]) -> Problem:
    """Another mean of the same clients, whose own constants are the same."""
    return other.knowing(found) if isinstance(other, Network) else other
