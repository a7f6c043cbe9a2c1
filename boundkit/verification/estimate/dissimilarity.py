"""sigma_g, beta and kappa: gradient dissimilarity in its definitions D1, D2, D3.

D1: max_i ||grad F_i - grad F||^2. D2: sum p_i ||grad F_i - grad F||^2. D3: sum p_i ||grad F_i||^2 <= beta^2
||grad F||^2 + kappa^2, of which D2 is the case beta = 1. gap and Gamma, the heterogeneity at the minima, are
relative to the infima, which descent and lower bounds bracket.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.analysis.evaluate import first_largest
from boundkit.simulation.arrays import Array
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import (
    FittedLine,
    MeasuredConstant,
    estimate_on_envelope,
    exact_at_points,
)


def _largest(series: Array, what: str, local: LocalEvaluations) -> MeasuredConstant:
    worst = first_largest(series)
    how = f"root of the largest {what}, at x_{local.rounds[worst]}; exact at these points"
    return exact_at_points(float(series[worst]) ** 0.5, local.describe_rounds(), how)


def _mean_square(local: LocalEvaluations) -> MeasuredConstant:
    return _largest(local.gradients.dissimilarity, "sum p_i ||grad F_i - grad F||^2 (reading D2)", local)


def _every_client(local: LocalEvaluations) -> MeasuredConstant:
    return _largest(
        local.gradients.largest_deviation, "||grad F_i - grad F||^2 of any client (reading D1)", local
    )


def _of_line(
    read: Callable[[FittedLine], float], what: str
) -> Callable[[LocalEvaluations], MeasuredConstant]:
    def measure(local: LocalEvaluations) -> MeasuredConstant:
        x, y = local.gradients.mean, local.gradients.moment
        how = (
            f"{what} of the lowest line above sum p_i ||grad F_i||^2 against ||grad F||^2 (reading D3); "
            "interval: leaving out one point each"
        )
        where = local.describe_rounds()
        return estimate_on_envelope(x, y, lambda line: read(line) ** 0.5, where, how, least=1.0)

    return measure


def _at_best(local: LocalEvaluations) -> MeasuredConstant:
    """sum p_i ||grad F_i - grad F||^2 at the best point, with the remaining gradient there."""
    point = local.minima.point
    each = local.problem.client_gradients(point[None])[0]
    mean = local.problem.p @ each
    value = float(local.problem.p @ ((each - mean) ** 2).sum(axis=1)) ** 0.5
    remaining = np.linalg.norm(mean)
    how = f"root of sum p_i ||grad F_i - grad F||^2 (with a remaining gradient of {remaining:.2g})"
    return exact_at_points(value, "the best point of the descent", how)


def _gap(local: LocalEvaluations) -> MeasuredConstant:
    """F(x_0) - inf F."""
    first, minima = float(local.problem.p @ local.losses[0]), local.minima
    how = "F less the least loss of the descent; high: less a lower bound of the losses"
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
    return MeasuredConstant(max(value, 0.0), low, high, "the best points of the descent", how)


ESTIMATES = {
    "sigma_g": _mean_square,
    "sigma_g_worst": _every_client,
    "beta": _of_line(lambda line: line.slope, "root of the slope"),
    "kappa": _of_line(lambda line: line.intercept, "root of the height at 0"),
    "sigma_star": _at_best,
    "gap": _gap,
    "Gamma": _heterogeneity,
}
