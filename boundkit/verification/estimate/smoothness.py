"""Smoothness constants: L from Hessians and from secants, and L0, L1 of relaxed smoothness.

L0 and L1 are those of the lowest line above ||hess F|| against ||grad F|| at the points of a trajectory.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import (
    FittedLine,
    MeasuredConstant,
    estimate_on_envelope,
    exact_at_points,
    regression,
)

_POWERS = "power iteration on Hessian-vector products, high: where its residual still allows an eigenvalue"


def _clients(local: LocalEvaluations) -> MeasuredConstant:
    """The largest |eigenvalue| of any client's Hessian."""
    ends = np.array([norms.largest for norms in local.client_norms])
    low, high = ends.max(axis=0)
    how = f"largest |eigenvalue| of a client's Hessian: {_POWERS}; local"
    return MeasuredConstant(
        float(low), float(low), float(high), local.describe_rounds(local.hessian_points), how
    )


def _mean(local: LocalEvaluations) -> MeasuredConstant:
    """The largest |eigenvalue| of the Hessian of F."""
    low, high = local.mean_norms.max(axis=1)
    how = f"largest |eigenvalue| of the Hessian of F: {_POWERS}; local"
    return MeasuredConstant(
        float(low), float(low), float(high), local.describe_rounds(local.hessian_points), how
    )


def _secants(local: LocalEvaluations) -> MeasuredConstant:
    """max_i ||grad F_i(a) - grad F_i(b)||/||a - b|| between points that follow each other.

    It is at most the largest curvature on the segments, so that it is a lower bound of L.
    """
    gradient, ratios = local.problem.client_gradients, []
    points = [local.points[k] for k in local.hessian_points]
    for a, b in pairwise(points):
        distance = float(np.linalg.norm(b - a))
        if distance > 0:
            difference = gradient(b[None])[0] - gradient(a[None])[0]
            ratios.append(float(np.linalg.norm(difference, axis=1).max()) / distance)
    if not ratios:
        raise BoundkitError("secants need two different points of a trajectory.")
    how = "largest ||grad F_i(a) - grad F_i(b)||/||a - b|| of any client, from below"
    return exact_at_points(
        max(ratios), f"segments between {local.describe_rounds(local.hessian_points)}", how
    )


def norms(local: LocalEvaluations) -> tuple[Array, Array]:
    """||grad F|| and ||hess F|| at the Hessian points, (few,) each."""
    return local.gradients.mean[local.hessian_points] ** 0.5, local.mean_norms[0]


def _of_line(
    read: Callable[[FittedLine], float], what: str
) -> Callable[[LocalEvaluations], MeasuredConstant]:
    def measure(local: LocalEvaluations) -> MeasuredConstant:
        x, y = norms(local)
        fit = regression(x, y)
        slope = (
            "" if fit is None else f"; least squares has the slope {fit[0]:.3g} [{fit[1]:.3g}, {fit[2]:.3g}]"
        )
        how = (
            f"{what} of the lowest line above ||hess F|| against ||grad F||{slope}; interval: leaving out one"
        )
        where = local.describe_rounds(local.hessian_points)
        return estimate_on_envelope(x, y, read, where, how)

    return measure


ESTIMATES = {
    "L": _clients,
    "L_mean": _mean,
    "L_secant": _secants,
    "L0": _of_line(lambda line: line.intercept, "height at 0"),
    "L1": _of_line(lambda line: line.slope, "slope"),
}
