"""gap and Gamma: losses against the least that is possible, in brackets of what descent finds."""

from __future__ import annotations

from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant


def _gap(local: LocalEvaluations) -> MeasuredConstant:
    """F(x_0) - inf F."""
    first, found = float(local.problem.p @ local.losses[0]), local.minima
    how = "F less the least loss that descent found; high: less what no loss can be below"
    low = first - found.mean_reached
    return MeasuredConstant(low, low, first - found.mean_floor, f"x_{local.rounds[0]}", how)


def _heterogeneity(local: LocalEvaluations) -> MeasuredConstant:
    """Gamma = inf F - sum p_i inf F_i."""
    found, p = local.minima, local.problem.p
    value = found.mean_reached - float(p @ found.reached)
    low = max(found.mean_floor - float(p @ found.reached), 0.0)
    high = found.mean_reached - float(p @ found.floor)
    how = (
        "least F less the mean of the clients' own least losses, all by descent; "
        "the interval is between what descent reached and what no loss can be below"
    )
    return MeasuredConstant(max(value, 0.0), low, high, "the best points that descent found", how)


ESTIMATES = {"gap": _gap, "Gamma": _heterogeneity}
