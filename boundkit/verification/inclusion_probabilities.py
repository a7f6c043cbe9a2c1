"""Inclusion probabilities q_i of a run's clients, and quantities that theorems define by them."""

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
from boundkit.simulation.run import Run
from boundkit.verification.context import Context

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


def evaluate_definition(context: Context, name: str) -> Constant:
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
