"""Small-step limit of a run that averages the selected clients with equal weights."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection.from_participation import strategy_of
from boundkit.simulation.selection.limit import Limit, selection_limit

_PLAIN = ("fedavg", "local_sgd", "minibatch_sgd")


def small_step_limit(run: Run) -> Limit:
    """selection_limit of the run's selection, where it applies.

    Momentum, noise, a server step size and equal local step counts do not change the limit.

    Raises BoundkitError for an algorithm other than FedAvg, for selected clients that are not averaged with
    equal weights or take different numbers of local steps, and where there is no strategy or no limit.
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
    """The reason why the selected clients are not averaged with equal weights; empty where they are."""
    how = run.algorithm.settings.get("aggregation", "weighted")
    if how == "mean" or (how == "weighted" and run.problem.equal_weights):
        return ""
    return f"the run has aggregation {how!r}, and only 'mean' is plain" + (
        " where p is not uniform" if how == "weighted" else ""
    )
