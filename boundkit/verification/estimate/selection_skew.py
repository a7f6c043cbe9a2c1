r"""rho_bar and rho_tilde of a selection by losses, along a trajectory.

rho(S(pi, x), x') = sum_k q_k(x) (F_k(x') - F_k*)/sum p_k (F_k(x') - F_k*), q_k(x) the selection probability
of client k at x over the number of selected clients. rho_bar is its least value over the points x and x' = x
or the next point, rho_tilde its largest over the points x at the best point x', at least rho_bar.
"""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.power_of_choice import ranking
from boundkit.simulation.selection import strategy_of
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant

_HOW = "skew of the selection{}, F_k* by descent; interval: F_k* between that and a lower bound of the losses"


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
    shares, losses, minima = _shares(local), local.losses, local.minima
    selected = np.concatenate([shares, shares[:-1]])
    evaluated = np.concatenate([losses, losses[1:]])
    values = [
        float(_ratio(selected, evaluated, f, local.problem.p).min())
        for f in (minima.reached, minima.lower_bound)
    ]
    return MeasuredConstant(
        values[0],
        min(values),
        max(values),
        local.describe_rounds(),
        "least " + _HOW.format(" at x_t, evaluated there and next"),
    )


def _largest(local: LocalEvaluations) -> MeasuredConstant:
    shares, minima = _shares(local), local.minima
    best = np.broadcast_to(np.asarray(local.problem.losses(minima.point)), shares.shape)
    least = _least(local).value  # theorems assume rho_tilde >= rho_bar
    values = [
        max(float(_ratio(shares, best, f, local.problem.p).max()), least)
        for f in (minima.reached, minima.lower_bound)
    ]
    where = f"{local.describe_rounds()}, evaluated at the best point of the descent"
    return MeasuredConstant(values[0], min(values), max(values), where, "largest " + _HOW.format(""))


ESTIMATES = {"rho_bar": _least, "rho_tilde": _largest}
