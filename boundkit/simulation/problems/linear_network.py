r"""Closed-form constants of a network without hidden layers: softmax regression.

L = max_i lambda_max(Z_i'Z_i/n_i)/2 + l2 with Z the points with a column of ones, because diag(q) - q q' has
no eigenvalue above 1/2; mu = l2. The optimum of a penalised loss is computed by Newton's method.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Array
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.problems.newton import CrossEntropy, minimise

if TYPE_CHECKING:
    from boundkit.simulation.problems.network import Network

_MOST = 2000
"""Most weights for which the full Hessian is computed."""


def is_linear(problem: Network) -> bool:
    """Whether scores are linear in the weights, so that the loss is convex."""
    return problem.architecture.kind == "softmax"


@lru_cache(maxsize=8)
def _steepest(federation: Federation) -> float:
    """max_i lambda_max(Z_i'Z_i/n_i), from the smaller of Z'Z and ZZ', rounded upwards."""
    found = 0.0
    Z = _points(federation)
    for a, b in zip(federation.offsets[:-1], federation.offsets[1:], strict=True):
        own = Z[a:b]
        square = own @ own.T if len(own) < own.shape[1] else own.T @ own
        found = max(found, float(np.linalg.eigvalsh(square / len(own))[-1]))
    return found * (1 + 1e-12)


def _points(federation: Federation) -> Array:
    flat = federation.X.reshape(len(federation.X), -1).astype(np.float64)
    return np.column_stack([flat, np.ones(len(flat))])


def constants_of(problem: Network) -> dict[str, Constant]:
    """L, and mu where there is a penalty."""
    how = "an upper bound: max_i lambda_max(Z'Z/n)/2 + l2"
    found = {"L": Constant(_steepest(problem.federation) / 2 + problem.l2, "exact", how)}
    if problem.l2 > 0:
        found["mu"] = Constant(problem.l2, "exact", "the penalty")
    return found


def optimum_of(problem: Network) -> Array:
    """x*, by Newton's method.

    Raises BoundkitError with a hidden layer, without a penalty, and for more weights than a Hessian allows.
    """
    if not is_linear(problem) or problem.l2 == 0:
        raise BoundkitError("the least loss of a network is known without hidden layers and with l2 above 0.")
    if problem.d > _MOST:
        raise BoundkitError(
            f"the least loss is sought for at most {_MOST} weights, but there are {problem.d}."
        )
    federation = problem.federation
    Z = _points(federation)
    share = (problem.p / federation.sizes)[federation.owner]
    loss = CrossEntropy(Z, federation.y, share, problem.d // Z.shape[1], problem.l2)
    return minimise(loss)[0]
