"""L: how fast the clients' gradients change, from Hessians at points and from secants between them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant, exact_at_points

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

    No segment tells of more than the largest curvature on it, so that this is below L, up to where L was
    looked for.
    """
    gradient, found = local.problem.client_gradients, []
    points = [local.points[k] for k in local.hessian_points]
    for a, b in pairwise(points):
        away = float(np.linalg.norm(b - a))
        if away > 0:
            apart = gradient(b[None])[0] - gradient(a[None])[0]
            found.append(float(np.linalg.norm(apart, axis=1).max()) / away)
    if not found:
        raise BoundkitError("secants need two points of a trajectory that are not the same.")
    how = "largest ||grad F_i(a) - grad F_i(b)||/||a - b|| of any client, from below"
    return exact_at_points(max(found), f"segments between {local.describe_rounds(local.hessian_points)}", how)


ESTIMATES = {"L": _clients, "L_mean": _mean, "L_secant": _secants}
