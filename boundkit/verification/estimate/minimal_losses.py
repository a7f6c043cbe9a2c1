"""gap and Gamma: losses relative to their infima, which descent and lower bounds bracket."""

from __future__ import annotations

from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant


def _gap(local: LocalEvaluations) -> MeasuredConstant:
    """F(x_0) - inf F."""
    first, minima = float(local.problem.p @ local.losses[0]), local.minima
    how = "F less the least loss that descent found; high: less what no loss can be below"
    low = first - minima.mean_reached
    return MeasuredConstant(low, low, first - minima.mean_lower_bound, f"x_{local.rounds[0]}", how)


def _heterogeneity(local: LocalEvaluations) -> MeasuredConstant:
    """Gamma = inf F - sum p_i inf F_i."""
    minima, p = local.minima, local.problem.p
    value = minima.mean_reached - float(p @ minima.reached)
    low = max(minima.mean_lower_bound - float(p @ minima.reached), 0.0)
    high = minima.mean_reached - float(p @ minima.lower_bound)
    how = (
        "least F less the mean of the clients' own least losses, all by descent; "
        "the interval is between what descent reached and what no loss can be below"
    )
    return MeasuredConstant(max(value, 0.0), low, high, "the best points that descent found", how)


ESTIMATES = {"gap": _gap, "Gamma": _heterogeneity}
