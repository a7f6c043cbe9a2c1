r"""Moments of weights normalised over the participants, for uniform subsets of fixed size.

With S uniform among the subsets of size n, W the sum of w over S, and z_k = e^{-x w_k},

    E[1{i in S} w_i/W]         = w_i     int   z_i     e_{n-1}(z without i)    dx / binomial(m, n)
    E[1{i,j in S} w_i w_j/W^2] = w_i w_j int x z_i z_j e_{n-2}(z without i, j) dx / binomial(m, n),

e_k the elementary symmetric polynomials: sums over all products of k of the z, by m steps of n additions in
place of binomial(m, n) subsets. Leaving one out is done by inserting the others, half by half, without
division: all terms are positive, and nothing cancels. The integral is that of the independent case.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.participation.normalised_weights_independent import points

Array = NDArray[np.float64]


def subset_shares(w: Array, size: int) -> Array:
    """E[1{i in S} w_i/W], (m,), over the subsets of that size. O(m n log m) for each of some 300 points.

    >>> subset_shares(np.array([1.0, 2.0, 3.0]), 2).round(12).tolist()  # (1/3 + 1/4)/3, ...
    [0.194444444444, 0.355555555556, 0.45]
    """
    m = len(w)
    if size == m or not (w > 0).any():
        return np.asarray(w / max(w.sum(), np.finfo(float).tiny))
    x, h = points(w[w > 0])
    z, out = np.exp(-x[:, None] * w), np.zeros(m)
    for i, rest in _without_one(z, size - 1, size / m):
        out[i] = w[i] * ((h * x) @ (z[:, i] * rest))
    return out * _per_subset(m, size, 1)


def subset_share_pairs(w: Array, size: int) -> Array:
    """E[1{i,j in S} w_i w_j/W^2], (m, m), over the subsets of that size."""
    m = len(w)
    if size == m or not (w > 0).any():
        share = subset_shares(w, size)
        return np.outer(share, share)
    x, h = points(w[w > 0])
    z, out, kernel = np.exp(-x[:, None] * w), np.zeros((m, m)), h * x**2
    for i, rest in _without_one(z, size - 1, size / m):
        out[i, i] = w[i] ** 2 * (kernel @ (z[:, i] * rest)) * _per_subset(m, size, 1)
    if size == 1:
        return out
    for i in range(m - 1):
        others = np.delete(z, i, axis=1)
        after = np.arange(i, m - 1)  # client j > i stands at j - 1
        for j, rest in _without_one(others, size - 2, size / m, after):
            value = w[i] * w[j + 1] * (kernel @ (z[:, i] * others[:, j] * rest))
            out[i, j + 1] = out[j + 1, i] = value * _per_subset(m, size, 2)
    return out


def _without_one(
    z: Array, degree: int, q: float, wanted: NDArray[np.intp] | None = None
) -> Iterator[tuple[int, Array]]:
    """For each wanted i: e_degree of the other columns, (K,), times q^degree (1 - q)^(others - degree)."""
    columns = np.arange(z.shape[1])
    wanted = columns if wanted is None else wanted
    start = np.zeros((degree + 1, z.shape[0]))
    start[0] = 1.0
    outside = np.setdiff1d(columns, wanted)
    todo = [(wanted, _with(start, z[:, outside], q))]
    while todo:
        left_out, made = todo.pop()
        if len(left_out) == 1:
            yield int(left_out[0]), made[degree]
            continue
        one, other = np.array_split(left_out, 2)
        todo += [(one, _with(made, z[:, other], q)), (other, _with(made, z[:, one], q))]


def _with(made: Array, z: Array, q: float) -> Array:
    """Insert these columns, each a factor 1 - q + q z s: probabilities, so none overflows."""
    made = made.copy()
    for column in z.T:
        made[1:] = (1 - q) * made[1:] + (q * column) * made[:-1]
        made[0] *= 1 - q
    return made


def _per_subset(m: int, size: int, left_out: int) -> float:
    """The factor from a product with ``left_out`` factors missing to a mean over subsets."""
    from scipy.stats import binom  # slow to import, and few runs need it

    q = size / m
    return float(q**left_out / binom.pmf(size, m, q))
