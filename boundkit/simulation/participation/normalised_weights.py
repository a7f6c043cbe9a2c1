"""Moments of c_i w_i/W, W = sum of c w over participants, for any distribution without enumeration.

First and second moments; c_i is the participation count of client i. Where W = 0 the shares are 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation.distribution import (
    Draws,
    FixedSubset,
    Independent,
    Law,
    UniformSubsets,
)
from boundkit.simulation.participation.normalised_weights_independent import points, share_pairs, shares
from boundkit.simulation.participation.normalised_weights_subsets import subset_share_pairs, subset_shares

Array = NDArray[np.float64]


def mean_shares(law: Law, w: Array) -> Array:
    """E[c_i w_i/W], (m,), exact to rounding for any number of clients; w at least 0, in any unit.

    Raises BoundkitError for an unsupported distribution.
    """
    if isinstance(law, Independent):
        return shares(law.first, w)
    if isinstance(law, Draws):
        return _drawn(law, w)
    members = _pool(law)
    out = np.zeros(law.clients)
    if len(members):
        out[members] = subset_shares(w[members], law.fixed_size or 0)
    return out


def shares_together(law: Law, w: Array) -> Array:
    """E[c_i w_i c_j w_j/W^2], (m, m), likewise. O(m^2 log m) sums for subsets of fixed size, O(m^2) else."""
    if isinstance(law, Independent):
        return share_pairs(law.first, w)
    if isinstance(law, Draws):
        return _drawn_together(law, w)
    members = _pool(law)
    out = np.zeros((law.clients, law.clients))
    if len(members):
        out[np.ix_(members, members)] = subset_share_pairs(w[members], law.fixed_size or 0)
    return out


def _pool(law: Law) -> NDArray[np.intp]:
    if isinstance(law, FixedSubset):
        return np.array(law.members, dtype=np.intp)
    if isinstance(law, UniformSubsets):
        return law.pool
    raise BoundkitError(f"the shares of clients under {type(law).__name__} are not known in closed form.")


def _drawn(law: Draws, w: Array) -> Array:
    """E[c_i e^{-xW}] = n p_i z_i (sum p z)^{n-1}, z = e^{-xw}, integrated over x."""
    p, n = law.first / law.size, law.size
    out, live = np.zeros(law.clients), (w > 0) & (p > 0)
    if live.any():
        x, h = points(w[live])
        z = np.exp(-x[:, None] * w)
        out[live] = n * (w * p * ((h * x * (z @ p) ** (n - 1)) @ z))[live]
    return out


def _drawn_together(law: Draws, w: Array) -> Array:
    """E[c_i c_j e^{-xW}] = n (n-1) p_i z_i p_j z_j (sum p z)^{n-2}, and E[c_i e^{-xW}] more where i = j."""
    p, n = law.first / law.size, law.size
    live = np.flatnonzero((w > 0) & (p > 0))
    out = np.zeros((law.clients, law.clients))
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
