"""Inclusion probabilities of a run's clients, and the surrogate sum_i w_i F_i of its aggregation."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import q_i
from boundkit.algebra.quantity import Vector
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.expansion import expand_given
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation import Bernoulli
from boundkit.simulation.participation.normalised_weights import plain_average_shares
from boundkit.simulation.problems import Network, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.simulation.surrogate import surrogate_weights
from boundkit.verification.context import EvaluationContext

_ROUNDING = 1e-24
"""Rounding error of a sum of squared differences of equal weights."""


def all_participate(run: Run) -> bool:
    """Whether every round includes every client exactly once."""
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    return sizes == {run.problem.m} and run.participation.kind != "with_replacement"


def inclusion_probabilities(run: Run) -> Array | None:
    """q_i, (m,), where clients participate independently, with the same q_i in every round; else None."""
    if all_participate(run):
        return np.ones(run.problem.m)
    participation = run.participation
    if isinstance(participation, Bernoulli) and participation.period == 1:
        return participation.mean_probabilities
    return None


def depends_on_inclusion(theorem: Theorem) -> bool:
    """Whether a theorem defines a quantity by the inclusion probabilities."""
    return any(q_i in e.free_symbols for e in theorem.definitions.values())


def evaluate_definition(context: EvaluationContext, name: str) -> Constant:
    """A quantity that the theorem defines by q_i, p_i and omega_i, at those of the run.

    Raises BoundkitError where the probabilities change, or the theorem does not define the quantity.
    """
    run, theorem = context.run, context.theorem
    q = inclusion_probabilities(run)
    if q is None:
        raise BoundkitError(f"{name} needs inclusion probabilities, the same in every round.")
    expr = next((e for quantity, e in theorem.definitions.items() if quantity.name == name), None)
    if expr is None:
        raise BoundkitError(f"{theorem.name} does not define {name} by its clients.")
    omega = run.algorithm.settings.get("weights")
    clients = {
        "q_i": q[None],
        "p_i": run.problem.p[None],
        "omega_i": np.ones((1, len(q))) if omega is None else np.array([omega], dtype=np.float64),
    }
    inner = {v: e for v, e in theorem.definitions.items() if isinstance(v, Vector)}
    expanded = expand_given(expr.xreplace(inner), clients)
    value = float(evaluate(expanded, {s.name: context.value(s.name) for s in expanded.free_symbols}))
    how = "the theorem's formula for it, with each client's inclusion probability and weight in the run"
    return Constant(value if value > _ROUNDING else 0.0, "exact", how)


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
