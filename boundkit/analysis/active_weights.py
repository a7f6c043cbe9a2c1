"""What each client has, in the mean, of an average over those who come."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def active_shares(chances: ArrayLike) -> Array:
    r"""E[1{i in S}/|S|] where client i comes with its chance q_i, independently of the others; shape (m,).

    With e_k the chance that k of the *others* come, it is q_i sum_k e_k/(k + 1). The chances that k of
    all clients come are one product of polynomials. Client i is divided out of it again, from below where
    it seldom comes and from above where it often does, so that no step enlarges an error: O(m^2) in all.
    The shares sum to the chance that anybody comes.

    >>> active_shares([0.5, 1.0])  # the first has half of every other round
    array([0.25, 0.75])
    """
    q = np.asarray(chances, dtype=np.float64)
    count = np.zeros(q.size + 1)
    count[0] = 1.0
    for i, chance in enumerate(q):
        count[1 : i + 2] = count[1 : i + 2] * (1 - chance) + count[: i + 1] * chance
        count[0] *= 1 - chance
    shares = np.empty_like(q)
    seldom = q <= 0.5
    shares[seldom] = _from_below(q[seldom], count)
    shares[~seldom] = _from_above(q[~seldom], count)
    return shares


def _from_below(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1):
        others = (count[k] - q * others) / (1 - q)
        total += others / (k + 1)
    return q * total


def _from_above(q: Array, count: Array) -> Array:
    others, total = np.zeros_like(q), np.zeros_like(q)
    for k in range(count.size - 1, 0, -1):
        others = (count[k] - (1 - q) * others) / q
        total += others / k
    return q * total
