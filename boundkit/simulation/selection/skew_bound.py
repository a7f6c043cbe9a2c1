r"""Lower bound on the skew over all orders of losses, where there are too many to enumerate.

Let a_k = z' A_k z, the losses at x' scaled so that sum p_k a_k = 1. They are non-negative, and their
spread is bounded by the problem: with X = z z', sum p_k a_k^2 = <X, sum p_k A_k X A_k>, at most the largest
eigenvalue of X -> sum p_k A_k X A_k, the ``spread``. This map keeps matrices positive, so that any positive X
bounds it from above, by the largest eigenvalue of X^-1 sum p_k A_k X A_k. Whatever the order, by
Lagrange's multipliers, for every theta >= 0,

    sum q_k a_k >= theta - sqrt( spread sum p_k (theta - q_k/p_k)_+^2 ).

The share of client k at rank j is minimal when the clients with the largest probabilities are ahead of it, so
that an assignment of ranks to clients bounds the sum on the right. The bound is 0 where losses may differ so
much that the clients never selected account for all of F.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import Array
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.strategy import Strategy

_STEPS = 15


def bound_over_orders(pencil: Pencil, strategy: Strategy) -> float:
    """A lower bound on the skew rho(S(pi, x), x') over all orders of losses and all x'."""
    from scipy.optimize import linear_sum_assignment

    p = pencil.problem.p
    spread = spread_bound(pencil.matrices, p)
    never = float(np.sort(p)[::-1][: strategy.pool - strategy.count].sum())
    if spread * never >= 1:
        return 0.0  # the clients ranked last, which are never selected, may account for all of F
    shares = minimum_shares(strategy, p)
    weighted = p > 0
    ratio = shares[weighted] / p[weighted, None]

    def bound(theta: float) -> float:
        weights = p[weighted, None] * np.maximum(theta - ratio, 0.0) ** 2
        most = float(weights[linear_sum_assignment(weights, maximize=True)].sum())
        return theta - sqrt(spread * most)

    grid = np.concatenate([[0.0], np.geomspace(1e-3, 1.0, 61) * max(float(ratio.max()), 1.0)])
    return max(bound(float(theta)) for theta in grid)


def spread_bound(A: Array, p: Array) -> float:
    """An upper bound on sum p_k (z' A_k z)^2 over unit vectors z; A is (m, n, n)."""
    X, best = np.eye(A.shape[-1]), np.inf
    for _ in range(_STEPS):
        values, vectors = np.linalg.eigh(X)
        root = (vectors / np.sqrt(values)) @ vectors.T
        image = np.tensordot(p, A @ X @ A, 1)
        best = min(best, float(np.linalg.eigvalsh(root @ image @ root)[-1]))
        # away from the boundary of the cone, where the bound would be lost to rounding
        X = image / np.trace(image) + 1e-6 * np.eye(len(X))
    return best


def minimum_shares(strategy: Strategy, p: Array) -> Array:
    """The minimal share of client k at rank j over all orders, (m, m): client, rank."""
    m = len(p)
    refuse_larger(40 * m**2, f"the bound on the skew over all orders of {m:,} losses", "use fewer clients")
    probabilities = strategy.sampling_probabilities(p)
    heavy = np.argsort(-probabilities, kind="stable")
    least = np.empty((m, m))
    for k in range(m):
        # f(W) is the share of W when W is ahead of all others: the share of k behind W is f(W and k) - f(W)
        ahead = heavy[heavy != k]
        first, last = np.append(k, ahead), np.append(ahead, k)
        shares = strategy.shares(p, np.stack([first, last]))
        with_k, without = np.cumsum(shares[0, first]), np.cumsum(shares[1, last])
        least[k] = with_k - np.append(0.0, without[:-1])
    return np.maximum(least, 0.0)
