"""How often the clients of a run come, and what the server then makes of them in the mean."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import q_i
from boundkit.algebra.vector import Vector
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.expansion import for_given
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation import Bernoulli
from boundkit.simulation.participation.normalised_weights_independent import mean_share
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.simulation.surrogate import surrogate_weights
from boundkit.verification.quantities.subject import Subject

_ROUNDED = 1e-24
"""What rounding leaves of a square of differences of weights that are alike."""


def everybody(run: Run) -> bool:
    """Whether all clients come in every round, once."""
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    return sizes == {run.problem.m} and run.participation.kind != "with_replacement"


def chances(run: Run) -> Array | None:
    """q_i, (m,), where clients come independently of each other and the past, as often in every round."""
    if everybody(run):
        return np.ones(run.problem.m)
    who = run.participation
    return who.mean_chances if isinstance(who, Bernoulli) and who.period == 1 else None


def surrogate_of(run: Run) -> Array | None:
    """The weights w_i of what is minimised, by formula for known chances to come; None where there are none.

    w_i is in proportion to E[1{i in S}/|S|] for a mean over those who come, to q_i for one over all, to
    omega_i q_i for weights omega_i, and to 1 - (1 - q_i)^K for FedAU's own weights, cut off at K.
    """
    q, options = chances(run), run.algorithm.settings
    if q is not None and run.tau is not None:
        mass: Array | None = None
        if run.algorithm.name == "fedavg":
            mass = {"all": q, "mean": mean_share(q)}.get(options["aggregation"])
        elif run.algorithm.name == "fedau" and options["weights"] is not None:
            mass = q * options["weights"]
        elif run.algorithm.name == "fedau" and options["cutoff"] is not None:
            mass = 1 - (1 - q) ** options["cutoff"]
        if mass is not None and mass.sum() > 0:
            return np.asarray(mass / mass.sum())
    return surrogate_weights(run)


def by_chances(theorem: Theorem) -> bool:
    """Whether a theorem derives something from the chances of its clients to come."""
    return any(q_i in e.free_symbols for e in theorem.definitions.values())


def defined(subject: Subject, name: str) -> Constant:
    """What the theorem defines by q_i, p_i and omega_i, at those of the run.

    Raises BoundkitError where chances change, or the theorem defines no such thing.
    """
    run, theorem = subject.run, subject.theorem
    q = chances(run)
    if q is None:
        raise BoundkitError(f"{name} needs the chance of each client to come, the same in every round.")
    expr = next((e for quantity, e in theorem.definitions.items() if quantity.name == name), None)
    if expr is None:
        raise BoundkitError(f"{theorem.name} does not define {name} by its clients.")
    omega = run.algorithm.settings.get("weights")
    rows = {
        "q_i": q[None],
        "p_i": run.problem.p[None],
        "omega_i": np.ones((1, len(q))) if omega is None else np.array([omega], dtype=np.float64),
    }
    inner = {v: e for v, e in theorem.definitions.items() if isinstance(v, Vector)}
    value = for_given(expr.xreplace(inner), rows)
    letters = {s.name: subject.value(s.name) for s in value.free_symbols}
    found = float(evaluate(value, letters))
    how = "the theorem's formula for it, with each client's chance to come and weight in the run"
    return Constant(found if found > _ROUNDED else 0.0, "exact", how)
