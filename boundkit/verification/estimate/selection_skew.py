r"""rho_bar and rho_tilde of a selection by losses, along a trajectory.

rho(S(pi, x), x') = sum_k q_k(x) (F_k(x') - F_k*)/sum p_k (F_k(x') - F_k*), q_k(x) the chance of client k to
be chosen at x, over how many are. rho_bar is its least value over the points x and x' = x or the next point,
rho_tilde its largest over the points x at x' = the best point found, raised to rho_bar where it is below.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.power_of_choice import ranking
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection import strategy_of
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant

_HOW = "skew of the selection{}, F_k* by descent; interval: F_k* between that and what no loss can be below"


def _shares(local: LocalEvaluations) -> Array:
    """q_k at every point, (P, m)."""
    if local.participation is None:
        raise BoundkitError("rho_bar and rho_tilde are of a selection: give the participation.")
    orders = ranking(local.losses)
    return strategy_of(local.participation).shares(local.problem.p, orders)


def _ratio(shares: Array, losses: Array, least: Array, p: Array) -> Array:
    """rho of each row: shares and losses (n, m)."""
    above = np.maximum(losses - least, 0.0)
    mean = above @ p
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean > 0, (shares * above).sum(axis=1) / mean, 1.0)


def _least(local: LocalEvaluations) -> MeasuredConstant:
    shares, losses, found = _shares(local), local.losses, local.minima
    at = np.concatenate([shares, shares[:-1]])
    judged = np.concatenate([losses, losses[1:]])
    of = [float(_ratio(at, judged, f, local.problem.p).min()) for f in (found.reached, found.floor)]
    return MeasuredConstant(
        of[0],
        min(of),
        max(of),
        local.describe_rounds(),
        "least " + _HOW.format(" at x_t, judged there and next"),
    )


def _largest(local: LocalEvaluations) -> MeasuredConstant:
    shares, found = _shares(local), local.minima
    best = np.broadcast_to(np.asarray(local.problem.losses(found.point)), shares.shape)
    least = _least(local).value  # along a run it might be above, and no theorem takes that
    of = [
        max(float(_ratio(shares, best, f, local.problem.p).max()), least)
        for f in (found.reached, found.floor)
    ]
    where = f"{local.describe_rounds()}, judged at the best point that descent found"
    return MeasuredConstant(of[0], min(of), max(of), where, "largest " + _HOW.format(""))


ESTIMATES = {"rho_bar": _least, "rho_tilde": _largest}
