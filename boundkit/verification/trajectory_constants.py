"""Constants of networks, estimated along the trajectory of a run."""

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
"""Constants that other quantities are computed from."""
BY_REPLICAS = frozenset({"sigma_g", "beta", "kappa", "gap", "sigma_star"})
"""Constants that are recorded in every round of every replica, which is better than one path."""
_MOST, _HESSIANS = 20, 5


def with_estimated_constants(theorem: Theorem, run: Run, recorded: Trajectory) -> Run:
    """The run with those constants of its network that the theorem needs and no formula gives.

    Other problems, and constants that cannot be estimated, are unchanged.
    """
    problem = run.problem
    if not isinstance(problem, Network) or not len(recorded.x):
        return run
    needed = {q.name for q in theorem.quantities}
    wanted = {*ALWAYS, *needed & set(ESTIMATES)} - BY_REPLICAS - set(problem.constants(run.x0))
    if problem.optimum is None:
        wanted |= needed & {"sigma_star"}
    if not theorem.assumes("relaxed-smooth-mean"):
        wanted -= {"L0", "L1"}  # those that are estimated are of the mean
    if theorem.algorithm in EVERYWHERE:
        wanted |= needed & {"beta", "kappa"}
    local = evaluate_locally(problem, recorded, run.participation, _MOST, _HESSIANS, run.seed)
    estimated = {}
    for name in sorted(wanted):
        try:
            estimated[name] = ESTIMATES[name](local).constant()
        except BoundkitError:
            continue  # whoever needs it says what is missing
    if not estimated:
        return run
    watch = {
        prefix: _also(other, {n: estimated[n] for n in ALWAYS if n in estimated})
        for prefix, other in run.watch.items()
    }
    return replace(run, problem=problem.knowing(estimated), watch=watch)


def local_model_check(run: Run) -> list[Check]:
    """The check that estimated constants leave open: their values at the clients' local models."""
    problem = run.problem
    names = sorted(problem.told) if isinstance(problem, Network) else []
    if not names:
        return []
    sentence = (
        f"{joined(names)} were measured at the server's models of the first replica; "
        "the proof asks for them wherever a client goes"
    )
    return [Check("constants elsewhere", "not tested", sentence)]


def _also(other: Problem, estimated: dict[str, Constant]) -> Problem:
    """Another mean of the same clients, whose own constants are the same."""
    return other.knowing(estimated) if isinstance(other, Network) else other
