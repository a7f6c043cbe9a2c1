"""The surrogate sum_i w_i F_i that an algorithm minimises in place of the objective."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.normalised_weights import plain_average_shares
from boundkit.simulation.problems import Network, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.simulation.surrogate import surrogate_weights
from boundkit.verification.inclusion_probabilities import inclusion_probabilities


def reweighted(problem: Problem, weights: Array) -> Problem:
    """The weighted mean sum_i w_i F_i of the same clients' losses.

    Raises BoundkitError where it is not bounded below, or the problem's clients cannot be reweighted.
    """
    if isinstance(problem, Quadratic):
        return Quadratic(problem.H, problem.e, weights, problem.noise)
    if isinstance(problem, SmoothNonconvex):
        return SmoothNonconvex(problem.e, weights, problem.noise)
    if isinstance(problem, Network):
        network = problem.reweighted(weights)
        return network if problem.optimum is None else network.with_optimum()
    raise BoundkitError(f"the surrogate of a {problem.kind} problem is not observed here.")


def surrogate_objective(theorem: Theorem, run: Run) -> Problem:
    """sum_i w_i F_i with the expected weights of the run's aggregation."""
    weights = surrogate_weights(run)
    if weights is None:
        raise BoundkitError(f"the surrogate of {run.algorithm.name} for small steps is not known.")
    return reweighted(run.problem, weights)


def closed_form_weights(run: Run) -> Array | None:
    """The weights w_i of the surrogate, by formula where inclusion probabilities are given; else None.

    w_i is proportional to E[1{i in S}/|S|] for a mean over participating clients, to q_i for one over all,
    to omega_i q_i for weights omega_i, and to 1 - (1 - q_i)^K for FedAU's own weights with cutoff K.
    """
    q, options = inclusion_probabilities(run), run.algorithm.settings
    if q is not None and run.tau is not None:
        mass: Array | None = None
        if run.algorithm.name == "fedavg":
            mass = {"all": q, "mean": plain_average_shares(q)}.get(options["aggregation"])
        elif run.algorithm.name == "fedau" and options["weights"] is not None:
            mass = q * options["weights"]
        elif run.algorithm.name == "fedau" and options["cutoff"] is not None:
            mass = 1 - (1 - q) ** options["cutoff"]
        if mass is not None and mass.sum() > 0:
            return np.asarray(mass / mass.sum())
    return surrogate_weights(run)
