"""Where a run that averages the chosen clients plainly ends as its step tends to 0."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection.from_participation import strategy_of
from boundkit.simulation.selection.limit import Limit, selection_limit

_PLAIN = ("fedavg", "local_sgd", "minibatch_sgd")


def small_step_limit(run: Run) -> Limit:
    """selection_limit of the run's selection, where the run follows it.

    Momentum, noise and a server step change the pace alone; so do local steps that all clients share.

    Raises BoundkitError for an algorithm other than FedAvg, for chosen clients that are not averaged plainly
    or take different local steps, and where there is no strategy or no limit of it.
    """
    if run.algorithm.name not in _PLAIN:
        raise BoundkitError(f"where small steps of {run.algorithm.name} end is not known, only of fedavg.")
    unlike = not_plain(run)
    if unlike:
        raise BoundkitError(f"where small steps end is known for a plain average, but {unlike}.")
    if np.ptp(run.local_steps, axis=1).max() > 0:
        raise BoundkitError("where small steps end is known for clients that take the same local steps.")
    strategy = strategy_of(run.participation)
    if not isinstance(run.problem, Quadratic):
        raise BoundkitError(f"where small steps end is known for quadratics, not for {run.problem.kind}.")
    return selection_limit(run.problem, strategy)


def not_plain(run: Run) -> str:
    """Why the chosen clients are not averaged plainly; empty where they are."""
    how = run.algorithm.settings.get("aggregation", "weighted")
    if how == "mean" or (how == "weighted" and run.problem.equal_weights):
        return ""
    return f"the run has aggregation {how!r}, and only 'mean' is plain" + (
        " where p is not uniform" if how == "weighted" else ""
    )
