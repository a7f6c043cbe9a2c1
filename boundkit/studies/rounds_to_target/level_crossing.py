"""When a curve crosses its target, as McMahan et al. 2017 (arXiv 1602.05629, section 3) read it off.

A curve is made monotone by the best value of all rounds so far, with straight lines between rounds. So a run
that reached the target between rounds 7 and 8 took 7.6 rounds, say, and a later relapse does not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def best_so_far(levels: Array, rises: bool) -> Array:
    """The best of each curve up to every round, (..., T + 1); what is not a number is no improvement."""
    best = np.fmax if rises else np.fmin
    found: Array = best.accumulate(levels, axis=-1)
    return found


def crossing(levels: Array, target: float, rises: bool = True) -> float | None:
    """When the curve of rounds 0, ..., T crosses the target, a real number; None if it does not.

    ``rises``: the target is reached from below, as an accuracy does, else from above, as a loss.

    >>> crossing(np.array([0.0, 0.5, 0.4, 0.9]), 0.7)
    2.5
    >>> crossing(np.array([2.0, 1.5]), 1.0, rises=False) is None
    True
    """
    best = best_so_far(levels, rises)
    there = best >= target if rises else best <= target
    if not there.any():
        return None
    t = int(there.argmax())
    if t == 0:
        return 0.0
    before, after = float(best[t - 1]), float(best[t])
    return t - 1 + (target - before) / (after - before)
