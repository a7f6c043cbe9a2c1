"""Moments of c_i w_i/W, W = sum of c w over participants, for any distribution without enumeration.

First and second moments; c_i is the participation count of client i. Where W = 0 the shares are 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.distribution import (
    Distribution,
    Draws,
    FixedSubset,
    Independent,
    UniformSubsets,
)
from boundkit.simulation.participation.normalised_weights_independent import points, share_pairs, shares
from boundkit.simulation.participation.normalised_weights_subsets import subset_share_pairs, subset_shares

Array = NDArray[np.float64]


def mean_shares(distribution: Distribution, w: Array) -> Array:
    """E[c_i w_i/W], (m,), exact to rounding for any number of clients; w at least 0, in any unit.

    Raises BoundkitError for an unsupported distribution.
    """
    if isinstance(distribution, Independent):
        return shares(distribution.first, w)
    if isinstance(distribution, Draws):
        return _drawn(distribution, w)
    members = _pool(distribution)
    out = np.zeros(distribution.clients)
    if len(members):
        out[members] = subset_shares(w[members], distribution.fixed_size or 0)
    return out


def shares_together(distribution: Distribution, w: Array) -> Array:
    """E[c_i w_i c_j w_j/W^2], (m, m), likewise. O(m^2 log m) sums for subsets of fixed size, O(m^2) else."""
    if isinstance(distribution, Independent):
        return share_pairs(distribution.first, w)
    if isinstance(distribution, Draws):
        return _drawn_together(distribution, w)
    members = _pool(distribution)
    out = np.zeros((distribution.clients, distribution.clients))
    if len(members):
        out[np.ix_(members, members)] = subset_share_pairs(w[members], distribution.fixed_size or 0)
    return out


def _pool(distribution: Distribution) -> NDArray[np.intp]:
    if isinstance(distribution, FixedSubset):
        return np.array(distribution.members, dtype=np.intp)
    if isinstance(distribution, UniformSubsets):
        return distribution.pool
    raise BoundkitError(
        f"the shares of clients under {type(distribution).__name__} are not known in closed form."
    )


def _drawn(distribution: Draws, w: Array) -> Array:
    """E[c_i e^{-xW}] = n p_i z_i (sum p z)^{n-1}, z = e^{-xw}, integrated over x."""
    p, n = distribution.first / distribution.size, distribution.size
    out, live = np.zeros(distribution.clients), (w > 0) & (p > 0)
    if live.any():
        x, h = points(w[live])
        z = np.exp(-x[:, None] * w)
        out[live] = n * (w * p * ((h * x * (z @ p) ** (n - 1)) @ z))[live]
    return out


def _drawn_together(distribution: Draws, w: Array) -> Array:
    """E[c_i c_j e^{-xW}] = n (n-1) p_i z_i p_j z_j (sum p z)^{n-2}, and E[c_i e^{-xW}] more where i = j."""
    p, n = distribution.first / distribution.size, distribution.size
    live = np.flatnonzero((w > 0) & (p > 0))
    out = np.zeros((distribution.clients, distribution.clients))
    if live.size:
        x, h = points(w[live])
        z = np.exp(-x[:, None] * w)
        kernel, total = h * x**2, z @ p
        once = (w * p * z)[:, live]
        both = np.zeros((len(live), len(live)))
        if n > 1:
            both = n * (n - 1) * (once * (kernel * total ** (n - 2))[:, None]).T @ once
        alone = n * w[live] * ((kernel * total ** (n - 1)) @ once)
        out[np.ix_(live, live)] = both + np.diag(alone)
    return out
