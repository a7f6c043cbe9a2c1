r"""sigma and G: variance and second moment of mini-batch gradients, by enumeration of the data points.

V_i = mean_j ||g_ij - grad F_i||^2 over the n_i points of client i. A batch of b points drawn with replacement
has the variance V_i/b. Of b points out of n_i without replacement, as in a shuffled pass, it is V_i/b
(n_i - b)/(n_i - 1), and that of the last batch, which may be smaller and noisier, is reported. Batches of one
shuffled pass are moreover dependent, which sigma does not express.
"""

from __future__ import annotations

import numpy as np

from boundkit.analysis.evaluate import first_largest
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Network
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant, exact_at_points

_NUMBERS = 2**22
"""Largest number of entries of the gradients that are in memory at once."""


def variances(problem: Network, w: Array) -> Array:
    """V_i at w, (d,): (m,)."""
    federation, d, owner = problem.federation, problem.d, problem.federation.owner
    X, labels = federation.tensors(w)
    mean = problem.client_gradients(w) - problem.l2 * w
    total = np.zeros(problem.m)
    size = max(1, _NUMBERS // d)
    for at in range(0, len(X), size):
        some = slice(at, at + size)
        count = len(X[some])
        own = problem.architecture.gradients(
            np.repeat(w[None], count, axis=0), X[some][:, None], labels[some][:, None], np.ones((count, 1))
        )
        squares = ((own - mean[owner[some]]) ** 2).sum(axis=-1)
        total += np.bincount(owner[some], weights=squares, minlength=problem.m)
    return np.asarray(total / federation.sizes)


def of_batches(problem: Network, each: Array) -> Array:
    """The variance of a mini-batch gradient of each client, (m,), from that of its points, (m,)."""
    n, batches = problem.federation.sizes, problem.batches
    if batches is None:
        return 0 * each
    if not batches.shuffled:
        return each / batches.size
    b = np.where(n % batches.size, n % batches.size, np.minimum(batches.size, n))
    return each / b * (n - b) / np.maximum(n - 1, 1)


def variances_at(local: LocalEvaluations) -> tuple[Array, str]:
    """Variances of a stochastic gradient of each client at the few points, (few, m) or (1, m), and how."""
    problem = local.problem
    if not isinstance(problem, Network) or problem.batch is None:
        how = "the noise of the problem, which has no mini-batches"
        return np.full((1, problem.m), problem.noise**2), how
    variances_of_clients = np.stack(
        [of_batches(problem, variances(problem, local.points[k])) for k in local.hessian_points]
    )
    order = (
        "points drawn with replacement" if problem.order == "independent" else "the last of a shuffled pass"
    )
    return variances_of_clients, f"by the gradients of all points, of batches of {problem.batch}, {order}"


def _worst(local: LocalEvaluations) -> MeasuredConstant:
    """The root of the variance of the noisiest client at the noisiest point."""
    variances_of_clients, how = variances_at(local)
    client = first_largest(variances_of_clients.max(axis=0))
    how = f"root of the largest variance, of client {client}, {how}; exact at these points"
    return exact_at_points(
        float(variances_of_clients.max()) ** 0.5, local.describe_rounds(local.hessian_points), how
    )


def _average(local: LocalEvaluations) -> MeasuredConstant:
    """The root of the weighted mean of the clients' variances, at the noisiest point."""
    variances_of_clients, how = variances_at(local)
    means = variances_of_clients @ local.problem.p
    how = f"root of the clients' mean variance by p_i, {how}; exact at these points"
    return exact_at_points(float(means.max()) ** 0.5, local.describe_rounds(local.hessian_points), how)


def _second_moment(local: LocalEvaluations) -> MeasuredConstant:
    """The root of the largest E||g_i||^2 = ||grad F_i||^2 + sigma_i^2 of any client."""
    noise, _ = variances_at(local)
    squares = np.array(
        [
            (local.problem.client_gradients(local.points[k][None])[0] ** 2).sum(axis=1)
            for k in local.hessian_points
        ]
    )
    how = "root of the largest E||g||^2 of any client, at the server's models only; exact at these points"
    return exact_at_points(
        float((squares + noise).max()) ** 0.5, local.describe_rounds(local.hessian_points), how
    )


ESTIMATES = {"sigma": _worst, "sigma_average": _average, "G": _second_moment}
