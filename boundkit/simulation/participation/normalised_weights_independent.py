r"""Moments of weights normalised over the participants, for independent clients.

Client i participates with probability q_i, and then weighs w_i/W, W the sum of w over participants. Because
1/W = int_0^inf e^{-xW} dx and clients are independent, the expectation is an integral of a product of
f_k = 1 - q_k + q_k e^{-x w_k},

    E[1{i in A} w_i/W]         = w_i q_i         int   e^{-x w_i}         prod_{k != i}    f_k dx,
    E[1{i,j in A} w_i w_j/W^2] = w_i w_j q_i q_j int x e^{-x (w_i + w_j)} prod_{k != i, j} f_k dx,

in place of a sum over 2^m subsets. With x = e^y the integrand decays at both ends, and the trapezoidal
rule is exact to rounding: its error is about exp(-pi^2/step). All terms are positive, so nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_STEP = 0.25
_SMALLEST, _LARGEST = 1e-18, 50.0
"""Bounds of the quadrature: x times the sum, and times the smallest, of the weights."""


def shares(q: Array, w: Array) -> Array:
    """E[1{i in A} w_i/W], (m,), W the sum of w over A; 0 for clients of weight 0.

    O(m) for each of some 300 points.

    >>> shares(np.array([0.9, 0.3]), np.ones(2)).round(12).tolist()  # 0.9 (1 - 0.3/2), 0.3 (1 - 0.9/2)
    [0.765, 0.165]
    """
    out = np.zeros(len(q))
    live = np.flatnonzero((w > 0) & (q > 0))
    if len(live):
        rule = _Rule(q[live], w[live])
        out[live] = (rule.h * rule.x) @ np.exp(rule.total[:, None] + rule.own)
    return out


def share_pairs(q: Array, w: Array) -> Array:
    """E[1{i,j in A} w_i w_j/W^2], (m, m). O(m^2) for each of 300 points."""
    out = np.zeros((len(q), len(q)))
    live = np.flatnonzero((w > 0) & (q > 0))
    if len(live):
        rule = _Rule(q[live], w[live])
        kernel = rule.h * rule.x**2
        both = _both(kernel, rule)
        alone = w[live] * (kernel @ np.exp(rule.total[:, None] + rule.own))
        out[np.ix_(live, live)] = np.where(np.eye(len(live), dtype=bool), np.diag(alone), both)
    return out


def mean_share(q: Array) -> Array:
    """E[1{i in A}/|A|], (m,): the mean weights of a plain average over participants.

    They sum to 1 - prod (1 - q_i), the probability of a non-empty round.
    """
    return shares(q, np.ones(len(q)))


def mean_share_pairs(q: Array) -> Array:
    """E[1{i,j in A}/|A|^2], (m, m)."""
    return share_pairs(q, np.ones(len(q)))


def meetings(q: Array) -> Array:
    """E[1{i,j in A}/|A|], (m, m): the mean weight of j's model in client i's model after a round."""
    out = np.zeros((len(q), len(q)))
    live = np.flatnonzero(q > 0)
    if len(live):
        rule = _Rule(q[live], np.ones(len(live)))
        out[np.ix_(live, live)] = _both(rule.h * rule.x, rule)
    out[np.diag_indices(len(q))] = mean_share(q)
    return out


def points(w: Array) -> tuple[Array, float]:
    """Points x_k and a step h, so that sum_k h x_k f(x_k) is the integral of f over x > 0.

    For f that decays as e^{-x w_i} for one of the weights, all above 0, or faster.
    """
    low, high = np.log(_SMALLEST / w.sum()), np.log(_LARGEST / w.min())
    return np.exp(np.arange(low, high + _STEP, _STEP)), _STEP


class _Rule:
    """The quadrature points, with the logarithms of the factors of the product there.

    ``total``: log prod_k (1 - q_k + q_k e^{-x w_k}), (K,). ``own``: log of w_i q_i e^{-x w_i} over i's
    own factor, (K, m).
    """

    def __init__(self, q: Array, w: Array) -> None:
        self.x, self.h = points(w)
        reach = self.x[:, None] * w
        with np.errstate(divide="ignore"):  # log 0 = -inf: a client of probability 1 is never absent
            factors = np.logaddexp(np.log1p(-q), np.log(q) - reach)
        self.total: Array = factors.sum(axis=1)
        self.own: Array = np.log(w * q) - reach - factors


def _both(kernel: Array, rule: _Rule) -> Array:
    once = np.exp(rule.own)
    return np.asarray((once * (kernel * np.exp(rule.total))[:, None]).T @ once)
