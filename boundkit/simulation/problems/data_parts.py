"""Clients whose loss is the mean of B parts: deviations of the parts' gradients from the client's."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import Array, checked_array

_ROUNDING = 1e-9


def checked_parts(parts: Any, m: int, d: int, noise: float) -> Array:
    """g_ib, (m, B, d), with sum_b g_ib = 0 for each client.

    Raises BoundkitError for another shape or sum, and where gradients have noise as well.
    """
    g = checked_array("parts", parts, (m, None, d))
    if g.shape[1] == 0:
        raise BoundkitError("parts must hold at least one part a client.")
    if noise > 0:
        raise BoundkitError(f"a problem has parts or noise, but here it has parts and noise {noise:g}.")
    rest = np.abs(g.sum(axis=1)).max(axis=1)
    worst = int(np.argmax(rest))
    if rest[worst] > _ROUNDING * max(np.abs(g).max(), 1e-300):
        raise BoundkitError(
            f"the parts of a client must sum to 0, but in one coordinate those of client {worst} sum to "
            f"{rest[worst]:g} in size."
        )
    return g
