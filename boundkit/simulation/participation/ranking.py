"""Clients ranked by their losses, where rounding makes no difference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.participation.base import Array

_EQUAL = 1e-12
"""Losses that differ by this part of themselves are equal: one loss may come in two roundings."""


def ranking(scores: Array) -> NDArray[np.intp]:
    """The clients along the last axis, the largest score first; of equal ones, the smaller number.

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
