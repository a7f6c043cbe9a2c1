r"""Selection probability of the client with the j-th largest loss.

Candidates A, |A| = d, are sampled sequentially without replacement; the ``count`` largest losses of A
are selected. With equal probabilities only the rank matters,

    P(rank j chosen) = sum_{i < count} C(j-1, i) C(K-j, d-1-i) / C(K, d).

With probabilities c_k the draws are a race: client k arrives at a time distributed Exp(c_k), and A are the
first d. Of the j largest losses, W_j, min(|A and W_j|, count) are selected, so that

    P(rank j chosen) = Q_j - Q_{j-1},
    Q_j = E min(|A and W_j|, count) = sum_{i <= count} P(|A and W_j| >= i),

and |A and W| >= i means that the i-th of W arrives while at most d - i others have: one integral over time,
of a sum of positive terms. After a double-exponential substitution the
trapezoidal rule is accurate to about 1e-14, for any number of clients, where sums over candidate sets are
infeasible.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, log

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array

_STEP = 0.1
_LEAST = 1e-200
_NUMBERS = 4_000_000
"""Most numbers in one array of the recursion."""


@lru_cache(maxsize=64)
def rank_shares(clients: int, count: int, candidates: int) -> Array:
    """P(rank j chosen)/count for j = 1, ..., clients, equal probabilities; (clients,), from fractions."""
    if count == candidates:  # every candidate is chosen
        ways = [comb(clients - 1, candidates - 1)] * clients
    else:
        ways = [
            sum(comb(j - 1, i) * comb(clients - j, candidates - 1 - i) for i in range(min(count, candidates)))
            for j in range(1, clients + 1)
        ]
    shares = np.array([float(Fraction(w, count * comb(clients, candidates))) for w in ways])
    shares.setflags(write=False)
    return shares


def race_shares(probabilities: Array, count: int, candidates: int) -> Array:
    """P(rank j chosen)/count for probabilities listed by rank, (n, K), all above 0; (n, K).

    Raises BoundkitError for a probability below 1e-200.
    """
    n, clients = probabilities.shape
    if probabilities.min() < _LEAST:
        raise BoundkitError(
            f"a client has the sampling probability {probabilities.min():.3g}, but probabilities "
            f"must be 0 or at least {_LEAST:g}, so that the integral over arrival times is accurate."
        )
    t, weight = _times(float(probabilities.min()))
    rows = max(1, _NUMBERS // (clients * count * len(t)))
    expected = np.concatenate(
        [_chosen(probabilities[a : a + rows], count, candidates, t, weight) for a in range(0, n, rows)]
    )
    return np.maximum(np.diff(expected, prepend=0.0, axis=1), 0.0) / count


def _times(least: float) -> tuple[Array, Array]:
    """Times t = exp(s - exp(-s)) on an even grid of s, and the weights of the trapezium rule."""
    s = np.arange(-4.0, log(45 / least), _STEP)
    t = np.exp(s - np.exp(-s))
    return t, _STEP * t * (1 + np.exp(-s))


def _chosen(c: Array, count: int, candidates: int, t: Array, weight: Array) -> Array:
    """Q_j for j = 1, ..., K; (n, K)."""
    n, clients = c.shape
    absent = np.exp(-c[..., None] * t)  # not yet arrived, (n, K, times)
    arrived = -np.expm1(-c[..., None] * t)
    others = _at_most(absent, arrived, count, candidates)
    ahead = np.zeros((n, count, len(t)))  # how many of W_j have arrived: 0, ..., count - 1
    ahead[:, 0] = 1
    density = np.zeros((n, count, len(t)))  # of the arrival of the i-th of W_j, i = 1, ..., count
    total = np.empty((n, clients))
    for j in range(clients):
        a, b = absent[:, j, None], arrived[:, j, None]
        earlier = density[:, :-1].copy()
        density = density * a + (c[:, j, None, None] * a) * ahead
        density[:, 1:] += b * earlier
        before = ahead[:, :-1].copy()
        ahead = ahead * a
        ahead[:, 1:] += b * before
        total[:, j] = ((density * others[j]).sum(1) * weight).sum(-1)
    return total


def _at_most(absent: Array, arrived: Array, count: int, candidates: int) -> list[Array]:
    """P(at most d - i of the clients after rank j have arrived), i = 1, ..., count; a list over j."""
    n, clients, times = absent.shape
    counts = np.zeros((n, candidates, times))  # how many have arrived: 0, ..., d - 1
    counts[:, 0] = 1
    tails: list[Array] = []
    for j in range(clients - 1, -1, -1):
        tails.append(np.cumsum(counts, axis=1)[:, candidates - count :][:, ::-1])
        before = counts[:, :-1].copy()
        counts = counts * absent[:, j, None]
        counts[:, 1:] += arrived[:, j, None] * before
    return tails[::-1]
