"""The surrogate that an algorithm minimises, as an objective to observe its runs by."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.problems import Network, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.simulation.surrogate import surrogate_weights


def reweighted(problem: Problem, weights: Array) -> Problem:
    """The same clients in another mean, sum_i w_i F_i.

    Raises BoundkitError where that has no least value, or the problem's clients are not weighed anew here.
    """
    if isinstance(problem, Quadratic):
        return Quadratic(list(problem.H), problem.e, weights, problem.noise)
    if isinstance(problem, SmoothNonconvex):
        return SmoothNonconvex(problem.e, weights, problem.noise)
    if isinstance(problem, Network):
        same = problem.reweighted(weights)
        return same if problem.optimum is None else same.settled()
    raise BoundkitError(f"the surrogate of a {problem.kind} problem is not observed here.")


def surrogate(theorem: Theorem, run: Run) -> Problem:
    """sum_i w_i F_i with the weights that the run's algorithm gives in the mean."""
    weights = surrogate_weights(run)
    if weights is None:
        raise BoundkitError(f"{run.algorithm.name} has no surrogate here that it minimises by small steps.")
    return reweighted(run.problem, weights)


WATCHED = {"surrogate": surrogate}
