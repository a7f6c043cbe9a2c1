"""Ranking of clients by their losses, robust to rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.participation.base import Array

_EQUAL = 1e-12
"""Relative tolerance for equal losses: the same loss may be rounded in two ways."""


def ranking(scores: Array) -> NDArray[np.intp]:
    """The clients along the last axis in order of decreasing score; ties go to the smaller number.

    >>> ranking(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [1, 0, 2]
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=-1)
    above, below = falling[..., :-1], falling[..., 1:]
    with np.errstate(invalid="ignore"):
        slack = _EQUAL * np.maximum(np.abs(above), np.abs(below))
        apart = above - below > np.where(np.isfinite(slack), slack, 0.0)
    groups = np.zeros(order.shape, dtype=np.intp)
    groups[..., 1:] = np.cumsum(apart, axis=-1)
    return np.take_along_axis(order, np.lexsort((order, groups), axis=-1), axis=-1)
